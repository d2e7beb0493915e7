"""Writes checkpoints as the field writes them, and the scores that PyTorch gives for them.

usage: checkpoints.py good|bad FOLDER
"""
import os
import sys
import zipfile
from collections import OrderedDict

import torch
import torch.nn.functional as F

torch.manual_seed(7)
what, folder = sys.argv[1:3]


class Weights:
    """A state dict that makes up an entry when it is first asked for."""

    def __init__(self, state=None):
        self.state = OrderedDict() if state is None else state

    def __call__(self, name, make):
        if name not in self.state:
            self.state[name] = make()
        return self.state[name].float()


def unit(w, x, conv, norm, outputs, kernel, stride):
    shape = (outputs, x.shape[1], kernel, kernel)
    kernels = w(conv + ".weight", lambda: torch.randn(shape) * (2 / (kernel * kernel * outputs)) ** 0.5)
    x = F.conv2d(x, kernels, stride=stride, padding=kernel // 2)
    # near the true mean and variance, so that 110 layers neither explode nor vanish, but not the same
    mean = w(norm + ".running_mean", lambda: x.mean((0, 2, 3)) + 0.2 * torch.randn(outputs))
    var = w(norm + ".running_var", lambda: x.var((0, 2, 3)) * (0.5 + torch.rand(outputs)) + 0.01)
    scale = w(norm + ".weight", lambda: 0.5 + torch.rand(outputs))
    shift = w(norm + ".bias", lambda: 0.2 * torch.randn(outputs))
    return F.batch_norm(x, mean, var, scale, shift, eps=1e-5)


def block(w, x, name, width, stride, bottleneck):
    part = lambda i, y, *size: unit(w, y, f"{name}.conv{i}", f"{name}.bn{i}", *size)
    if bottleneck:
        outputs = 4 * width
        y = part(3, part(2, part(1, x, width, 1, 1).relu(), width, 3, stride).relu(), outputs, 1, 1)
    else:
        outputs = width
        y = part(2, part(1, x, width, 3, stride).relu(), outputs, 3, 1)
    if stride != 1 or x.shape[1] != outputs:
        x = unit(w, x, name + ".downsample.0", name + ".downsample.1", outputs, 1, stride)
    return (x + y).relu()


def network(w, x, depth, classes):
    if depth == 50:
        x = F.max_pool2d(unit(w, x, "conv1", "bn1", 64, 7, 2).relu(), 3, 2, 1)
        stages = list(zip([64, 128, 256, 512], [3, 4, 6, 3]))
    else:
        x = unit(w, x, "conv1", "bn1", 16, 3, 1).relu()
        stages = [(width, (depth - 2) // 6) for width in [16, 32, 64]]
    for stage, (width, blocks) in enumerate(stages):
        for b in range(blocks):
            x = block(w, x, f"layer{stage + 1}.{b}", width, 2 if stage and not b else 1, depth == 50)
    x = x.mean((2, 3))
    matrix = w("fc.weight", lambda: torch.randn(classes, x.shape[1]) / x.shape[1] ** 0.5)
    return F.linear(x, matrix, w("fc.bias", lambda: torch.randn(classes)))


CIFAR = [[0.4914, 0.4822, 0.4465], [0.2023, 0.1994, 0.2010]]
IMAGENET = [[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]]


def scores(w, images, depth, classes, normalise):
    if normalise:
        mean, sd = torch.tensor(IMAGENET if depth == 50 else CIFAR).view(2, 1, 3, 1, 1)
        images = (images - mean) / sd
    with torch.no_grad():
        return network(w, images, depth, classes)


def case(name, depth, classes, normalise, wrap, legacy, count=4, change=None):
    side = 224 if depth == 50 else 32
    images = torch.rand(count, 3, side, side) * 1.5 - 0.25
    w = Weights()
    found = scores(w, images, depth, classes, normalise)
    if change:
        w = Weights(change(w.state))
        found = scores(w, images, depth, classes, normalise)
    path = os.path.join(folder, name)
    torch.save(wrap(w.state), path, _use_new_zipfile_serialization=not legacy)
    images.numpy().tofile(path + ".images")
    found.numpy().tofile(path + ".scores")


def counted(state):
    for name in list(state):
        if name.endswith("running_var"):
            state[name.replace("running_var", "num_batches_tracked")] = torch.tensor(390)


def cohen(arch, prefix, count_batches):
    def wrap(state):
        if count_batches:
            counted(state)
        state = OrderedDict((prefix + name, tensor) for name, tensor in state.items())
        state._metadata = OrderedDict([("", {"version": 1}), ("1", {"version": 1})])
        weights = [torch.nn.Parameter(t.clone()) for n, t in state.items() if n.endswith(("conv1.weight", "bias"))]
        sgd = torch.optim.SGD(weights, lr=0.1, momentum=0.9, weight_decay=1e-4)
        for weight in weights:
            weight.grad = torch.ones_like(weight)
        sgd.step()
        return {"epoch": 90, "arch": arch, "state_dict": state, "optimizer": sgd.state_dict()}

    return wrap


def macer(state):
    counted(state)
    return {"net": state, "epoch": 440}


def module(state):
    return OrderedDict(("module." + name, torch.nn.Parameter(tensor)) for name, tensor in state.items())


def odd(state):
    """Other kinds of numbers, views with strides, and one storage for all shifts."""
    shifts = [name for name in state if name.endswith(".bias")]
    shared = torch.cat([state[name] for name in shifts])
    at = 0
    for name in shifts:
        size = len(state[name])
        state[name] = shared[at : at + size]
        at += size
    kinds = {"layer1": torch.float16, "layer2": torch.bfloat16, "layer3": torch.float64}
    for name in state:
        if name.endswith("weight") and name[:6] in kinds:
            state[name] = state[name].to(kinds[name[:6]])
    state["conv1.weight"] = state["conv1.weight"].to(memory_format=torch.channels_last)
    state["fc.weight"] = state["fc.weight"].t().contiguous().t()
    return state


class Evil:
    def __reduce__(self):
        return os.system, ("touch " + os.path.join(folder, "it-ran"),)


if what == "good":
    case("cohen-legacy", 20, 10, True, cohen("cifar_resnet20", "1.", False), True)
    case("cohen-zip", 20, 10, True, cohen("cifar_resnet20", "1.", True), False)
    case("cohen-110", 110, 10, True, cohen("cifar_resnet110", "1.", True), True, count=2)
    case("cohen-imagenet", 50, 1000, True, cohen("resnet50", "1.module.", True), False, count=1)
    case("macer-legacy", 8, 10, False, macer, True)
    case("macer-zip", 8, 100, False, macer, False)
    case("plain", 8, 7, True, module, True)
    case("odd", 8, 10, False, lambda state: state, True, change=odd)
    case("odd-zip", 8, 10, False, lambda state: state, False, change=odd)
else:
    case("macer", 8, 10, False, macer, True)
    case("macer-zip", 8, 10, False, macer, False)
    small = {"net": {"conv1.weight": torch.randn(4, 3, 3, 3).half(), "bn1.bias": torch.randn(5)[1:3]}, "lr": [0.1, None]}
    for zipped in [False, True]:
        save = lambda object, name: torch.save(
            object, os.path.join(folder, name + "-zip" * zipped), _use_new_zipfile_serialization=zipped
        )
        save({"net": {"conv1.weight": torch.ones(3), "bias": Evil()}}, "evil")
        save(small, "small")
        # small files that would fill the memory, and names of two networks
        zeros = torch.zeros(20000)
        save({"net": {f"w{i}": zeros for i in range(8000)}}, "shared")
        save({"net": {"w": torch.zeros(1).expand(1 << 33)}}, "endless")
        save({"net": {"1.w": zeros, "w": zeros}}, "mixed")
        save({"model": {"w": zeros}, "step": 7}, "unknown")
        for name, value in [("fc.bias", float("nan")), ("fc.bias", float("inf")), ("bn1.running_var", -0.1)]:
            w = Weights()
            scores(w, torch.rand(2, 3, 32, 32), 8, 10, False)
            w.state[name][1] = value
            save({"net": w.state}, str(value))
    source = zipfile.ZipFile(os.path.join(folder, "small-zip"))
    with zipfile.ZipFile(os.path.join(folder, "packed"), "w", zipfile.ZIP_DEFLATED) as packed:
        for name in source.namelist():
            packed.writestr(name, source.read(name))
