#!/usr/bin/env bash
# Every experiment of the QCRS paper on the networks of models/: 200 images, n = 10,000; curves on 40 of them, ablation on
# 25 with n = 5,000. 50 million forward passes.
# Takes what it can from the runs of zoo.sh; runs resume.   usage: paper.sh QCRS DATA RUNS-OF-ZOO DIR
set -euo pipefail
qcrs=$1 data=$2 zoo=$3 dir=$4
models=$(cd "$(dirname "$0")/../../models" && pwd)

# experiment NAME SIGMA FOLDER OPTIONS…
experiment() {
    local name=$1 sigma=$2 folder=$dir/$3
    shift 3
    "$qcrs" paper --noise float "$name" --model "$models/cifar10-resnet20-gaussian-$sigma/model.onnx" --data "$data" \
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

# certify METHOD SIGMA: as one row of `experiment methods`
certify() {
    "$qcrs" certify --noise float --model "$models/cifar10-resnet20-gaussian-$2/model.onnx" --data "$data" --skip 50 --n 10000 \
        --method "$1" --preset "cifar10-$2" --run "$dir/$2/runs/$1"
}

experiment methods 0.50 0.50
certify insta-rs 0.50
certify iss 0.50
"$qcrs" report "$dir/0.50/runs/"{cohen,iss,ddrs,insta-rs,dsrs,grid,qcrs,qcrs-repaired,probe} --format md >"$dir/all-methods.md"

experiment fairness 0.50 0.50
experiment mc-interval 0.50 0.50
experiment gradient-stability 0.50 0.50 --skip 500
experiment class-wise 0.50 0.50
for sigma in 0.25 0.12; do
    for shape in quasiconcavity sqc sigma-error; do
        experiment "$shape" "$sigma" "$sigma-curves" --skip 250
    done
done
for sigma in 0.50 0.25; do
    experiment training "$sigma" "$sigma" --macer "$models/cifar10-resnet20-macer-$sigma/model.onnx"
done
experiment dsrs-matrix 0.50 0.50
certify ddrs 0.12
for sigma in 0.25 0.12; do
    "$qcrs" report "$dir/$sigma/runs/"{cohen,ddrs,grid,qcrs,qcrs-repaired,probe} --format md >"$dir/methods-$sigma.md"
done
experiment ablation 0.50 0.50-ablation --skip 400 --n 5000
