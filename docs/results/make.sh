#!/usr/bin/env bash
# Samples every answer behind the tables of docs/results.md and docs/experiments.md: lattice noise, seed 0.
#
# usage: make.sh QCRS DATA WORK [PART …]
#
# QCRS is the program, DATA a folder with CIFAR-10 (qcrs data get cifar10), WORK a folder for runs under way.
# Answers are written to docs/results/answers; what is there is not sampled again, so that this script resumes on
# any machine. Parts, with their forward passes in millions (a ResNet-20 does about 6,000 to 13,000 per second on
# two cores, so that all 490 take 10 to 23 hours):
#
#   zoo        105   every network of models/ with COHEN, best single σ, grid, QCRS, PROBE
#   methods     25   DDRS, DSRS, ISS, Insta-RS, the sign of the gradient, one σ per class
#   ablation    18   appendix F on 50 images
#   curves      92   Table 1, SQC, appendix G: 100 images, n = 10,000, shared noise and own
#   grid        48   24 whole certificates per image
#   curves100k  84   Table 1 and SQC: 20 images, n = 100,000, own noise
#   probe100k  120   PROBE, COHEN and QCRS at n = 100,000
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'; exit 2; }
qcrs=$1 data=$2 work=$3
shift 3
[ $# -gt 0 ] || set -- zoo methods ablation curves grid curves100k probe100k
here=$(cd "$(dirname "$0")" && pwd)
models=$here/../../models answers=$here/answers

# model NAME: its file
model() { echo "$models/cifar10-resnet20-$1/model.onnx"; }

# row FOLDER NAME NETWORK OPTIONS…: one run, on ids divisible by 50 unless the options say otherwise
row() {
    local folder=$1 name=$2 network=$3
    shift 3
    [ ! -e "$answers/$folder/$name.tsv" ] || return 0
    case " $* " in *" --n "*) ;; *) set -- --n 10000 "$@" ;; esac
    "$qcrs" certify --model "$(model "$network")" --data "$data" --skip 50 --run "$work/$folder/runs/$name" "$@"
    "$qcrs" export "$work/$folder/runs/$name" --no-times --out "$answers/$folder/$name.tsv"
}

# experiment NAME FOLDER σ OPTIONS…: one experiment of the paper
experiment() {
    local name=$1 folder=$2 sigma=$3
    shift 3
    "$qcrs" paper "$name" --model "$(model "gaussian-$sigma")" --data "$data" --preset "cifar10-$sigma" --budget medium \
        --answers "$answers/$folder" --dir "$work/$folder" --no-times "$@"
}

# best FOLDER NAME NETWORK σ: COHEN at the best single σ, chosen on inputs that are not judged
best() {
    local folder=$1 name=$2 network=$3 sigma=$4 tuned=$work/$1/$2-tune.json
    [ ! -e "$answers/$folder/$name.tsv" ] || return 0
    mkdir -p "$work/$folder"
    [ -e "$tuned" ] || {
        "$qcrs" tune --model "$(model "$network")" --data "$data" --skip 100 --offset 25 --sigma "$sigma" --n 10000 \
            --format json >"$tuned.part"
        mv "$tuned.part" "$tuned"
    }
    row "$folder" "$name" "$network" --method cohen \
        --sigma "$(sed -n 's/.*"sigma": *\([0-9.]*\).*/\1/p' "$tuned" | head -1)"
}

# network FOLDER PREFIX NETWORK σ: every row of results.md
network() {
    local folder=$1 prefix=$2 network=$3 sigma=$4 preset=cifar10-$4
    row "$folder" "${prefix}cohen" "$network" --method cohen --sigma "$sigma"
    # the released script for MACER has a region of its own
    [ "$network" != macer-0.50 ] || preset=macer-0.50
    row "$folder" "${prefix}qcrs-paper" "$network" --method qcrs --mode paper --preset "$preset"
    row "$folder" "${prefix}qcrs" "$network" --method qcrs --preset "cifar10-$sigma"
    row "$folder" "${prefix}probe" "$network" --method probe --preset "cifar10-$sigma"
    best "$folder" "${prefix}global" "$network" "$sigma"
    row "$folder" "${prefix}grid" "$network" --method grid --preset "cifar10-$sigma" --gradient-n 250
}

zoo() {
    network 0.50 "" gaussian-0.50 0.50
    network 0.25 "" gaussian-0.25 0.25
    network 0.50 macer- macer-0.50 0.50
    network 0.12 "" gaussian-0.12 0.12
    network 0.25 macer- macer-0.25 0.25
}

methods() {
    row 0.50 insta-rs gaussian-0.50 --method insta-rs --preset cifar10-0.50
    row 0.50 iss gaussian-0.50 --method iss --preset cifar10-0.50
    local sigma
    for sigma in 0.50 0.25 0.12; do experiment methods "$sigma" "$sigma"; done
    for sigma in 0.50 0.25; do experiment training "$sigma" "$sigma" --macer "$(model "macer-$sigma")"; done
    experiment dsrs-matrix 0.50 0.50
    experiment class-wise 0.50 0.50
    experiment gradient-stability 0.50 0.50
}

ablation() { experiment ablation ablation 0.50 --skip 200 --negative-sigma emulate; }

curves() {
    local sigma noise
    for sigma in 0.25 0.12; do
        for noise in own shared; do
            experiment quasiconcavity "curves-$sigma" "$sigma" --skip 100 --noise-per-sigma "$noise"
        done
        experiment sigma-error "curves-$sigma" "$sigma" --skip 100
    done
}

grid() { experiment grid 0.50 0.50; }

curves100k() {
    local sigma
    for sigma in 0.25 0.12; do
        experiment quasiconcavity "curves100k-$sigma" "$sigma" --skip 500 --n 100000 --noise-per-sigma own
    done
}

probe100k() {
    local network price
    for network in gaussian-0.50 macer-0.50; do
        row "$network-100k" cohen "$network" --n 100000 --method cohen --sigma 0.5
        row "$network-100k" qcrs-paper "$network" --n 100000 --method qcrs --mode paper --preset cifar10-0.50
        row "$network-100k" qcrs-two-sided-20k "$network" --n 20000 --bound two-sided --method qcrs --mode paper \
            --preset cifar10-0.50
        row "$network-100k" probe "$network" --n 100000 --method probe --preset cifar10-0.50 --lambda 0
        for price in 1e-5 3e-6 1.5e-6 1e-6; do
            row "$network-100k" "probe-$price" "$network" --n 100000 --method probe --preset cifar10-0.50 --lambda "$price"
        done
    done
}

for part in "$@"; do
    case $part in
    zoo | methods | ablation | curves | grid | curves100k | probe100k) "$part" ;;
    *)
        echo "there is no part $part; there are zoo, methods, ablation, curves, grid, curves100k, probe100k" >&2
        exit 2
        ;;
    esac
done
