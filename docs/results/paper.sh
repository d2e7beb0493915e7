#!/usr/bin/env bash
# Every experiment of the QCRS paper on the networks of models/: 200 images (curves and ablation: 50), n = 10,000.
# Takes what it can from the runs of zoo.sh; runs resume.   usage: paper.sh QCRS DATA RUNS-OF-ZOO DIR
set -euo pipefail
qcrs=$1 data=$2 zoo=$3 dir=$4
models=$(cd "$(dirname "$0")/../../models" && pwd)

# experiment NAME SIGMA FOLDER OPTIONS…
experiment() {
    local name=$1 sigma=$2 folder=$dir/$3
    shift 3
    "$qcrs" paper "$name" --model "$models/cifar10-resnet20-gaussian-$sigma/model.onnx" --data "$data" \
        --preset "cifar10-$sigma" --budget medium --dir "$folder" "$@"
}
# keep FROM TO: a run of zoo.sh under the name that the experiments give it
keep() {
    [ ! -d "$zoo/$1" ] || [ -d "$2" ] || cp -r "$zoo/$1" "$2"
}

for sigma in 0.50 0.25 0.12; do
    runs=$dir/$sigma/runs
    mkdir -p "$runs"
    for pair in cohen:cohen grid:grid qcrs-paper:qcrs qcrs:qcrs-repaired probe:probe; do
        keep "gaussian-$sigma-${pair%:*}" "$runs/${pair#*:}"
    done
    keep "macer-$sigma-cohen" "$runs/macer-cohen"
    keep "macer-$sigma-qcrs-paper" "$runs/macer-qcrs"
done

experiment methods 0.50 0.50
for method in insta-rs iss; do
    "$qcrs" certify --model "$models/cifar10-resnet20-gaussian-0.50/model.onnx" --data "$data" --skip 50 --n 10000 \
        --method "$method" --preset cifar10-0.50 --run "$dir/0.50/runs/$method"
done
"$qcrs" report "$dir/0.50/runs/"{cohen,iss,ddrs,insta-rs,dsrs,grid,qcrs,qcrs-repaired,probe} --format md >"$dir/all-methods.md"

experiment fairness 0.50 0.50
experiment mc-interval 0.50 0.50
experiment class-wise 0.50 0.50
experiment gradient-stability 0.50 0.50
experiment dsrs-matrix 0.50 0.50
for sigma in 0.25 0.12; do
    for shape in quasiconcavity sqc sigma-error; do
        experiment "$shape" "$sigma" "$sigma-curves" --skip 200
    done
done
for sigma in 0.50 0.25; do
    experiment training "$sigma" "$sigma" --macer "$models/cifar10-resnet20-macer-$sigma/model.onnx"
done
experiment ablation 0.50 0.50-ablation --skip 200 --n 5000
for sigma in 0.25 0.12; do
    experiment methods "$sigma" "$sigma"
done
