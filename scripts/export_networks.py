"""Exports small networks in the styles that people bring, with both of torch's exporters.

    pip install torch torchvision onnx onnxruntime onnxscript
    python scripts/export_networks.py DIR
    tar --sort=name --owner=0 --group=0 --mtime=@0 -czf crates/qcrs-onnx/tests/exports.tar.gz -C DIR .
    python scripts/export_networks.py --torchvision DIR      # torchvision's own, at full size

Each network is a few kilobytes with random weights, and classifies images of 3x16x16 into 5 classes. The tests
(crates/qcrs-onnx/tests/exports.rs) make sure that qcrs loads every one of them, and refuses those in `mixing`.
"""

import argparse
import pathlib
import sys
import warnings

import onnx
import torch
from torch import nn
from torch.nn import functional as F

SHAPE = (3, 16, 16)
CLASSES = 5


class Residual(nn.Module):
    """Two convolutions with batch normalisation beside a shortcut; flattened by torch.flatten or by view."""

    def __init__(self, view):
        super().__init__()
        self.view = view
        self.stem = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(8) for _ in range(3))
        self.convs = nn.ModuleList(nn.Conv2d(8, 8, 3, padding=1, bias=False) for _ in range(2))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(8, CLASSES)

    def forward(self, x):
        x = F.relu(self.norms[0](self.stem(x)))
        y = F.relu(self.norms[1](self.convs[0](x)))
        x = F.max_pool2d(F.relu(x + self.norms[2](self.convs[1](y))), 2)
        x = self.pool(x)
        x = x.view(x.size(0), -1) if self.view else torch.flatten(x, 1)
        return self.head(x)


class Mobile(nn.Module):
    """Depthwise convolutions, squeeze and excitation, hard swish, dropout."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.depth = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.down, self.up = nn.Conv2d(8, 4, 1), nn.Conv2d(4, 8, 1)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(8, CLASSES)

    def forward(self, x):
        x = F.hardswish(self.stem(x))
        x = F.relu6(self.depth(x))
        gate = F.hardsigmoid(self.up(F.relu(self.down(F.adaptive_avg_pool2d(x, 1)))))
        x = (x * gate).mean([2, 3])
        return self.head(self.drop(x))


class Dense(nn.Module):
    """Features joined along the channels, as DenseNet does."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 6, 3, padding=1), nn.Conv2d(9, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(15)
        self.head = nn.Linear(15, CLASSES)

    def forward(self, x):
        x = torch.cat([x, F.relu(self.first(x))], 1)
        x = torch.cat([x, F.relu(self.second(x))], 1)
        x = F.avg_pool2d(F.silu(self.norm(x)), 4)
        return F.log_softmax(self.head(x.amax((-1, -2))), dim=-1)


class Modern(nn.Module):
    """Layer normalisation with channels last, GELU, a residual scale, as ConvNeXt does; upsampling on the way."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 4, stride=4)
        self.norm = nn.LayerNorm(8)
        self.wide, self.narrow = nn.Linear(8, 16), nn.Linear(16, 8)
        self.scale = nn.Parameter(torch.full((8, 1, 1), 0.5))
        self.head = nn.Linear(8, CLASSES)

    def forward(self, x):
        x = F.interpolate(self.stem(x), scale_factor=2.0, mode="nearest")
        y = self.norm(x.permute(0, 2, 3, 1))
        y = self.narrow(F.gelu(self.wide(y))).permute(0, 3, 1, 2)
        x = x + self.scale * y
        return self.head(self.norm(x.mean((-2, -1))))


class Vision(nn.Module):
    """A vision transformer: patches, a class token, torch's own MultiheadAttention."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 12, 4, stride=4)
        self.token = nn.Parameter(torch.randn(1, 1, 12))
        self.place = nn.Parameter(torch.randn(1, 17, 12))
        self.norms = nn.ModuleList(nn.LayerNorm(12) for _ in range(3))
        self.attend = nn.MultiheadAttention(12, 3, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(12, 24), nn.GELU(), nn.Linear(24, 12))
        self.head = nn.Linear(12, CLASSES)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.place
        y = self.norms[0](x)
        x = x + self.attend(y, y, y, need_weights=self.training)[0]
        x = x + self.mlp(self.norms[1](x))
        return self.head(self.norms[2](x)[:, 0])


class Encoder(nn.Module):
    """torch's own transformer encoder over the rows of the image, sequence first."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(48, 12)
        layer = nn.TransformerEncoderLayer(12, 2, 24, batch_first=False)
        self.layers = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(12, CLASSES)

    def forward(self, x):
        rows = self.embed(x.permute(2, 0, 1, 3).flatten(2))
        return self.head(self.layers(rows).mean(0))


class Windows(nn.Module):
    """Attention within windows of the image, as Swin does: the windows stand beside the images on one axis."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Conv2d(3, 8, 2, stride=2)
        self.qkv = nn.Linear(8, 24)
        self.head = nn.Linear(8, CLASSES)

    def forward(self, x):
        x = self.embed(x).permute(0, 2, 3, 1)
        n, h, w, c = x.shape
        x = torch.roll(x, (1, 1), (1, 2))
        x = x.view(n, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
        q, k, v = self.qkv(x).reshape(-1, 16, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        x = (q @ k.transpose(-2, -1)).softmax(-1) @ v
        x = x.transpose(1, 2).reshape(-1, 16, c)
        x = x.view(n, h // 4, w // 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(n, h * w, c)
        return self.head(x.mean(1))


class BatchMean(nn.Module):
    """Mixes: every image gets the mean scores of its batch."""

    def __init__(self):
        super().__init__()
        self.inner = Residual(False)

    def forward(self, x):
        y = self.inner(x)
        return 0 * y + y.mean(0, keepdim=True)


class AcrossImages(nn.Module):
    """Mixes: attention between the images of a batch, by a transpose too few."""

    def __init__(self):
        super().__init__()
        self.attend = nn.MultiheadAttention(12, 3, batch_first=False)
        self.patch = nn.Conv2d(3, 12, 4, stride=4)
        self.head = nn.Linear(12, CLASSES)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)  # [N, L, E] where [L, N, E] is expected
        return self.head(self.attend(x, x, x, need_weights=False)[0].mean(1))


HONEST = {
    "residual": lambda: Residual(False),
    "residual-view": lambda: Residual(True),
    "mobile": Mobile,
    "dense": Dense,
    "modern": Modern,
    "vision": Vision,
    "encoder": Encoder,
    "windows": Windows,
}
MIXING = {"batch-mean": BatchMean, "across-images": AcrossImages}


def export(module, path, how, shape=SHAPE, training=False):
    """One file: `how` names the exporter and whether the batch is dynamic or fixed at 4."""
    torch.manual_seed(1)
    exporter, batch = how.split("-")
    x = torch.rand(4, *shape)
    options = {"input_names": ["x"], "output_names": ["scores"]}
    if training:
        options["training"] = torch.onnx.TrainingMode.TRAINING
        options["do_constant_folding"] = False
    if exporter == "torchscript":
        axes = {"x": {0: "n"}, "scores": {0: "n"}} if batch == "dynamic" else None
        torch.onnx.export(module, (x,), path, dynamo=False, dynamic_axes=axes, opset_version=17, **options)
    else:
        shapes = ({0: torch.export.Dim("n", min=1, max=4096)},) if batch == "dynamic" else None
        torch.onnx.export(
            module, (x,), path, dynamo=True, dynamic_shapes=shapes, external_data=False, verbose=False, **options
        )


def strip(path):
    """Takes out what exporters write for people: stack traces name the files of the machine."""
    model = onnx.load(path)
    graph = model.graph
    for part in [model, graph, *graph.node, *graph.input, *graph.output, *graph.value_info, *graph.initializer]:
        part.ClearField("doc_string")
        part.ClearField("metadata_props")
    for node in graph.node:
        node.ClearField("name")
    del graph.value_info[:]
    onnx.save(model, path)


def write(folder, name, make, training=False):
    for how in ["torchscript-dynamic", "torchscript-fixed", "dynamo-dynamic", "dynamo-fixed"]:
        torch.manual_seed(0)
        module = make()
        module.train(training)
        path = folder / f"{name}-{how}.onnx"
        if training and how.startswith("dynamo"):
            continue  # dynamo exports what the module is: the same file as in evaluation mode or an error
        try:
            export(module, path, how, training=training)
            strip(path)
        except Exception as error:  # an exporter that cannot do a network is told, not hidden
            print(f"{path.name}: {type(error).__name__}: {str(error).splitlines()[0][:120]}", file=sys.stderr)


def torchvision_networks(folder):
    import torchvision.models as models

    names = ["resnet18", "mobilenet_v3_small", "densenet121", "efficientnet_b0", "convnext_tiny", "vit_b_16",
             "swin_t", "shufflenet_v2_x0_5", "squeezenet1_1", "vgg11", "googlenet", "regnet_y_400mf", "maxvit_t",
             "mnasnet0_5", "inception_v3"]
    for name in names:
        for how in ["torchscript-dynamic", "dynamo-dynamic"]:
            options = {"init_weights": False} if name in ["googlenet", "inception_v3"] else {}
            module = getattr(models, name)(**options).eval()
            try:
                export(module, folder / f"{name}-{how}.onnx", how, shape=(3, 224, 224))
                print(name, how, flush=True)
            except Exception as error:
                print(f"{name} {how}: {type(error).__name__}: {str(error).splitlines()[0][:120]}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--torchvision", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.torchvision:
        return torchvision_networks(arguments.folder)
    for name, make in HONEST.items():
        write(arguments.folder, name, make)
    mixing = arguments.folder / "mixing"
    mixing.mkdir(exist_ok=True)
    for name, make in MIXING.items():
        write(mixing, name, make)
    write(mixing, "residual-training", lambda: Residual(False), training=True)
    write(mixing, "mobile-training", Mobile, training=True)


if __name__ == "__main__":
    main()
