#!/usr/bin/env python3
"""Store the weights of an ONNX model in 16 bits: half the size, and scores that differ a little.

Each float32 tensor of at least 1,000 values becomes a float16 tensor and a Cast back to float32. So every engine
computes in float32 as before, with weights that were rounded once. Needs the package onnx.

    python3 scripts/halve_weights.py model.onnx half.onnx
"""

import sys

import numpy
import onnx
from onnx import numpy_helper as arrays


def halve(model):
    graph = model.graph
    casts = []
    for tensor in graph.initializer:
        name, values = tensor.name, arrays.to_array(tensor)
        if tensor.data_type != onnx.TensorProto.FLOAT or values.size < 1000:
            continue
        rounded = values.astype(numpy.float16)
        if not numpy.isfinite(rounded).all():
            sys.exit(f"`{name}` has values too large for 16 bits")
        tensor.CopyFrom(arrays.from_array(rounded, name + ".f16"))
        casts.append(onnx.helper.make_node("Cast", [name + ".f16"], [name], to=onnx.TensorProto.FLOAT))
    for cast in reversed(casts):
        graph.node.insert(0, cast)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    model = onnx.load(sys.argv[1])
    halve(model)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, sys.argv[2])


if __name__ == "__main__":
    main()
