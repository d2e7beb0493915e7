"""Prints what onnxruntime answers to photographs in ImageNet's layout, without noise and without qcrs.

    pip install numpy pillow onnxruntime
    python scripts/imagenet_top1.py resnet50.onnx photographs

The folder is that of imagenet_photographs.py. Photographs are scaled and cropped as `--resize 256 --crop 224` does it.
"""

import argparse
import pathlib

import numpy
import onnxruntime
from PIL import Image


def pixels(file):
    image = Image.open(file).convert("RGB")
    scale = 256 / min(image.size)
    image = image.resize([int(side * scale) for side in image.size], Image.Resampling.BILINEAR)
    left, top = ((side - 224) // 2 for side in image.size)
    image = image.crop((left, top, left + 224, top + 224))
    return numpy.asarray(image, dtype=numpy.float32).transpose(2, 0, 1)[None] / 255


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="an ONNX file that takes pixels in [0, 1] and returns logits")
    parser.add_argument("folder", type=pathlib.Path, help="with val/ and names.txt")
    arguments = parser.parse_args()
    names = [line.split(",")[0].split(maxsplit=1) for line in (arguments.folder / "names.txt").read_text().splitlines()]
    session = onnxruntime.InferenceSession(arguments.model)
    files = sorted((arguments.folder / "val").glob("*/*"))
    right = 0
    for file in files:
        (logits,) = session.run(None, {session.get_inputs()[0].name: pixels(file)})[0].astype(float)
        shares = numpy.exp(logits - logits.max())
        shares /= shares.sum()
        number, name = names[logits.argmax()]
        right += number == file.parent.name
        label = dict(names)[file.parent.name]
        print(f"{file.name:<22} {label:<14} {name:<14} {shares.max():.3f}{'' if number == file.parent.name else '  wrong'}")
    print(f"{right} of {len(files)} are right")


if __name__ == "__main__":
    main()
