#!/usr/bin/env bash
# PROBE against QCRS as published at n = 100,000, on CIFAR-10 test ids divisible by 50, a quarter of them after the other.
# Runs resume; 21 million forward passes per quarter and model. The answers are in probe/*.tsv, with these columns of each
# run's results.tsv: idx, label, predict, radius, correct, best_sigma, passes (cut -f1-6,11).
# usage: probe.sh QCRS DATA RUNS [QUARTERS [MODEL …]]
set -euo pipefail
qcrs=$1 data=$2 runs=$3 quarters=${4:-0 1 2 3}
shift $(($# < 4 ? $# : 4))
models=$(cd "$(dirname "$0")/../../models" && pwd)
[ $# -gt 0 ] || set -- gaussian-0.50 macer-0.50

for quarter in $quarters; do
    for name in "$@"; do
        sigma=${name##*-} model=$models/cifar10-resnet20-$name/model.onnx
        row() {
            local run=$runs/$name-$1
            shift
            "$qcrs" certify --noise float --model "$model" --data "$data" --skip 50 --shard "$quarter/4" --run "$run" "$@"
        }
        row qcrs-100k --method qcrs --mode paper --preset "cifar10-$sigma" --n 100000
        for lambda in 1e-6 1.5e-6 3e-6 1e-5; do
            row "probe-$lambda" --method probe --preset "cifar10-$sigma" --n 100000 --lambda "$lambda"
        done
        row qcrs-two-sided-20k --method qcrs --mode paper --preset "cifar10-$sigma" --bound two-sided --n 20000
        row probe-100k --method probe --preset "cifar10-$sigma" --n 100000 --lambda 0
        row cohen-100k --method cohen --sigma "$sigma" --n 100000
        "$qcrs" report "$runs/$name-"{qcrs-100k,probe-1e-6,probe-1.5e-6,probe-3e-6,probe-1e-5,probe-100k,qcrs-two-sided-20k,cohen-100k} \
            --format md >"$runs/$name-probe.md"
    done
done
