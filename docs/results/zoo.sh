#!/usr/bin/env bash
# Every row of docs/results.md: each model of models/, every method, CIFAR-10 test ids divisible by 50, n = 10,000.
# Runs resume; about 17 million forward passes per model.   usage: zoo.sh QCRS DATA RUNS [MODEL …]
set -euo pipefail
qcrs=$1 data=$2 runs=$3
shift 3
models=$(cd "$(dirname "$0")/../../models" && pwd)
[ $# -gt 0 ] || set -- gaussian-0.50 gaussian-0.25 macer-0.50 gaussian-0.12 macer-0.25

for name in "$@"; do
    sigma=${name##*-} model=$models/cifar10-resnet20-$name/model.onnx
    row() {
        local run=$runs/$name-$1
        shift
        "$qcrs" certify --noise float --model "$model" --data "$data" --skip 50 --n 10000 --run "$run" "$@"
    }
    row cohen --method cohen --sigma "$sigma"
    row qcrs --method qcrs --preset "cifar10-$sigma"
    row qcrs-paper --method qcrs --mode paper --preset "cifar10-$sigma"
    row probe --method probe --preset "cifar10-$sigma"
    # the best single σ, chosen on inputs that are not judged
    tuned=$runs/$name-tune.json
    [ -e "$tuned" ] || {
        "$qcrs" tune --noise float --model "$model" --data "$data" --skip 100 --offset 25 --sigma "$sigma" --n 10000 --format json >"$tuned.part"
        mv "$tuned.part" "$tuned"
    }
    best=$(sed -n 's/.*"sigma": *\([0-9.]*\).*/\1/p' "$tuned" | head -1)
    row global --method cohen --sigma "$best"
    row grid --method grid --preset "cifar10-$sigma" --gradient-n 250
    "$qcrs" report "$runs/$name-"{cohen,global,grid,qcrs-paper,qcrs,probe} --format md --figures "$runs/$name-figures" >"$runs/$name.md"
done
