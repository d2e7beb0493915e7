"""Makes a folder of ten photographs in ImageNet's layout from packages of PyPI, with the list of the 1,000 classes.

    pip install --no-deps foolbox==3.3.4 scikit-image==0.26.0 timm==1.0.31      # for their files; nothing is imported
    python scripts/imagenet_photographs.py photographs

    photographs/val/n02123045/chelsea.png      a folder per class, named by its WordNet number; files as they are
    photographs/names.txt                      lines such as "n02123045 tabby, tabby cat", for --names

Two photographs are from scikit-image (public domain), with the class that one sees in them. Eight are the first of
foolbox's ImageNet samples, which have the number of their class in their names. docs/imagenet.md certifies them.
"""

import argparse
import importlib.metadata
import pathlib
import shutil
import sys

SEEN = {"chelsea": "n02123045", "coffee": "n07920052"}  # tabby, espresso
SAMPLES = 8


def files_of(package, folder):
    """The files below a folder of an installed package, without importing it."""
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        sys.exit(f"{package} is not installed; the first lines of --help say how to install it")
    return {file.name: pathlib.Path(file.locate()) for file in files if file.parent.as_posix() == folder}


def class_names():
    """A line per class in the order of the model's scores, as ImageNet's own list has it: WordNet number, names."""
    lists = files_of("timm", "timm/data/_info")
    names = dict(line.split("\t") for line in lists["imagenet_synset_to_lemma.txt"].read_text().splitlines())
    return [f"{number} {names[number]}" for number in lists["imagenet_synsets.txt"].read_text().split()]


def photographs(names):
    """Each file with the WordNet number of its class."""
    of_scikit = files_of("scikit-image", "skimage/data")
    for name, number in SEEN.items():
        yield of_scikit[f"{name}.png"], number
    samples = sorted(file for name, file in files_of("foolbox", "foolbox/data").items() if name.startswith("imagenet_"))
    for file in samples[:SAMPLES]:
        yield file, names[int(file.stem.rsplit("_", 1)[1])].split()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="where to make val/ and names.txt")
    folder = parser.parse_args().folder
    names = class_names()
    for file, number in photographs(names):
        target = folder / "val" / number / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        print(target)
    (folder / "names.txt").write_text("".join(f"{line}\n" for line in names))
    print(folder / "names.txt")


if __name__ == "__main__":
    main()
