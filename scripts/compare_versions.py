"""Measures two builds of qcrs against each other, in turn on the same machine: passes per second of whole runs.

    python3 scripts/compare_versions.py OLD/qcrs NEW/qcrs --model m.onnx --data data/cifar10 --rounds 11

Each round certifies the same inputs with both builds, in an order that changes from round to round; the ratio of a round
is new / old, and the median over the rounds is what counts on a machine that others use too.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

RUNS = {
    "cohen": ["--method", "cohen", "--n", "10000", "--count", "8"],
    "qcrs": ["--method", "qcrs", "--n", "5000", "--count", "4"],
    "probe": ["--method", "probe", "--n", "20000", "--count", "6"],
    "cohen, normalised": ["--method", "cohen", "--n", "5000", "--count", "8", "--normalize", "half"],
}


def passes_per_second(program, options, folder):
    run = pathlib.Path(folder) / "run"
    start = time.perf_counter()
    subprocess.run([program, "certify", "-q", "--run", run, *options], check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    lines = (run / "results.tsv").read_text().splitlines()
    column = lines[0].split("\t").index("passes")
    return sum(int(line.split("\t")[column]) for line in lines[1:]) / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--sigma", default="0.25")
    parser.add_argument("--rounds", type=int, default=11)
    arguments = parser.parse_args()
    common = ["--model", arguments.model, "--data", arguments.data, "--sigma", arguments.sigma]
    for name, options in RUNS.items():
        ratios, rates = [], []
        for number in range(arguments.rounds):
            order = ["old", "new"] if number % 2 == 0 else ["new", "old"]
            rate = {}
            for which in order:
                with tempfile.TemporaryDirectory() as folder:
                    rate[which] = passes_per_second(getattr(arguments, which), common + options, folder)
            ratios.append(rate["new"] / rate["old"])
            rates.append(rate["new"])
        low, high = min(ratios), max(ratios)
        median, rate = statistics.median(ratios), statistics.median(rates)
        print(f"{name}: new / old {median:.3f} [{low:.3f}, {high:.3f}] over {len(ratios)} rounds, {rate:.0f} passes/s",
              flush=True)


if __name__ == "__main__":
    main()
