"""PyTorch on the same model, as the published certification programs run it: eagerly, in large batches.

qcrs starts this with `python -c` and three arguments: the model, the shape C,H,W and sigma. It answers each line
on stdin with one line of JSON on stdout:
  rate BATCH SECONDS       images per second of noise, network, argmax and counting
  classes FILE             the classes of the images in a file of little-endian f32
  image FILE               takes the image in such a file for what comes after
  votes SIGMA COUNT BATCH  how many of COUNT noisy copies of it each class wins
"""
import json
import os
import sys
import time

# no module is taken from the folder that qcrs was started in: it could be anybody's
sys.path = [folder for folder in sys.path if folder]
QCRS = os.getppid()


def say(**answer):
    print(json.dumps(answer), flush=True)


try:
    import numpy
    import onnx
    import torch
    import torch.nn.functional as F
    from onnx import numpy_helper
except ImportError as missing:
    say(missing=missing.name)
    sys.exit()


class Network:
    """The graph of an ONNX file, node after node."""

    def __init__(self, path):
        graph = onnx.load(path).graph
        self.constants = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.initializer}
        (self.input,) = [i.name for i in graph.input if i.name not in self.constants]
        self.output = graph.output[0].name
        self.nodes = []
        for node in graph.node:
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            if node.op_type == "Constant":
                self.constants[node.output[0]] = torch.from_numpy(numpy_helper.to_array(attributes["value"]).copy())
                continue
            operator = getattr(self, node.op_type, None)
            if operator is None:
                raise ValueError(f"the operator {node.op_type}")
            self.nodes.append((operator, list(node.input), node.output[0], attributes))

    def __call__(self, images):
        values = {**self.constants, self.input: images, "": None}
        for operator, inputs, output, attributes in self.nodes:
            values[output] = operator(*(values[name] for name in inputs), **attributes)
        return values[self.output]

    @staticmethod
    def pad(x, pads, value=0.0):
        top, left, bottom, right = pads
        return F.pad(x, (left, right, top, bottom), value=value) if any(pads) else x

    def Conv(self, x, weight, bias=None, pads=(0, 0, 0, 0), strides=(1, 1), dilations=(1, 1), group=1, **_):
        top, left, bottom, right = pads
        if (top, left) == (bottom, right):
            return F.conv2d(x, weight, bias, strides, (top, left), dilations, group)
        return F.conv2d(self.pad(x, pads), weight, bias, strides, 0, dilations, group)

    def BatchNormalization(self, x, gain, offset, mean, variance, epsilon=1e-5, **_):
        return F.batch_norm(x, mean, variance, gain, offset, False, 0.0, epsilon)

    def MaxPool(self, x, kernel_shape, pads=(0, 0, 0, 0), strides=(1, 1), **_):
        return F.max_pool2d(self.pad(x, pads, float("-inf")), kernel_shape, strides)

    def AveragePool(self, x, kernel_shape, pads=(0, 0, 0, 0), strides=(1, 1), count_include_pad=0, **_):
        if any(pads) and not count_include_pad:
            raise ValueError("an average that leaves out its padding")
        return F.avg_pool2d(self.pad(x, pads), kernel_shape, strides)

    def Gemm(self, x, weight, bias=None, transB=0, **_):
        return F.linear(x, weight if transB else weight.t(), bias)

    def MatMul(self, a, b):
        return a @ b

    def ReduceMean(self, x, axes_input=None, axes=None, keepdims=1, **_):
        axes = axes_input.tolist() if axes is None else axes
        return x.mean(dim=list(axes), keepdim=bool(keepdims))

    def GlobalAveragePool(self, x):
        return F.adaptive_avg_pool2d(x, 1)

    def Flatten(self, x, axis=1):
        return x.flatten(axis)

    def Reshape(self, x, shape, **_):
        return x.reshape([x.shape[at] if size == 0 else size for at, size in enumerate(shape.tolist())])

    def Clip(self, x, low=None, high=None, min=None, max=None):
        return x.clamp(min if low is None else low, max if high is None else high)

    def Relu(self, x):
        return F.relu(x)

    def LeakyRelu(self, x, alpha=0.01):
        return F.leaky_relu(x, alpha)

    def Identity(self, x):
        return x

    def Add(self, a, b):
        return a + b

    def Sub(self, a, b):
        return a - b

    def Mul(self, a, b):
        return a * b

    def Div(self, a, b):
        return a / b


def count(network, image, sigma, batch):
    # nobody waits for the answer any more
    if os.getppid() != QCRS:
        sys.exit()
    copies = image.repeat((batch, 1, 1, 1))
    scores = network(copies + torch.randn_like(copies) * sigma)
    return torch.bincount(scores.argmax(1), minlength=scores.shape[1])


def rate(network, image, sigma, batch, seconds):
    votes, images = 0, 0
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds or images == 0:
        votes += count(network, image, sigma, batch)
        images += batch
    return images / spent


def votes(network, image, sigma, copies, batch):
    counts = sum(count(network, image, sigma, min(batch, copies - done)) for done in range(0, copies, batch))
    return {number: votes for number, votes in enumerate(counts.tolist()) if votes > 0}


def main():
    model, shape, sigma = sys.argv[1], [int(size) for size in sys.argv[2].split(",")], float(sys.argv[3])
    try:
        network = Network(model)
    except ValueError as error:
        return say(unknown=str(error))
    count = shape[0] * shape[1] * shape[2]
    image = (torch.arange(count) % 255 / 255).reshape(1, *shape)
    with torch.inference_mode():
        network(image)
        say(name="PyTorch " + torch.__version__.split("+")[0], threads=torch.get_num_threads())
        for line in sys.stdin:
            command, _, rest = line.rstrip("\n").partition(" ")
            if command == "rate":
                batch, seconds = rest.split()
                say(rate=rate(network, image, sigma, int(batch), float(seconds)))
            elif command == "votes":
                level, copies, batch = rest.split()
                say(votes=votes(network, image, float(level), int(copies), int(batch)))
            else:
                images = torch.from_numpy(numpy.fromfile(rest, dtype="<f4").reshape(-1, *shape))
                if command == "image":
                    image = images
                    say(images=len(images))
                else:
                    say(classes=network(images).argmax(1).tolist())


main()
