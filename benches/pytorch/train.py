#!/usr/bin/env python3
"""Positions a second of `okapi train values` beside PyTorch's, in turn, both on the same positions from the same network.

    pip install torch==2.6.0 numpy safetensors
    target/release/okapi train play runs/kept --games 8192 --nodes 64 --seed 7
    cargo run --release -p benches --bin arrays -- runs/kept runs/arrays
    python3 benches/pytorch/train.py target/release/okapi runs/kept runs/arrays --threads 2

PyTorch's program is what its users would write: the 363 features as three linear layers, the piece placement as an EmbeddingBag (a sum of rows),
compiled, Adam, all data in memory as tensors. It learns with each of --batches, Okapi with its default of 4,096; both print the loss on the
validation positions after one epoch. PyTorch's compilation and its first steps are not counted, nor is Okapi's reading of the games (its rate is
that of its log.csv, which counts reading, decoding, shuffling and features).
"""

import argparse
import csv
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional

GROUPS = {"global": (0, 19), "piece": (19, 235), "square": (235, 363)}
NO_ROW = 768
BUCKETS = 8
RATE, LAST_RATE = 0.001, 0.01
WARM_STEPS = 5


class ValueNet(nn.Module):
    """19x19+216x54+128x32-64+768x512-1x8 (docs/topologies.md), from a file."""

    def __init__(self, tensors):
        super().__init__()
        self.first = nn.ModuleDict({group: linear(tensors, group) for group in GROUPS})
        self.hidden = linear(tensors, "hidden")
        rows = tensors["placement.weight"]
        self.placement = nn.EmbeddingBag(NO_ROW + 1, rows.shape[1], mode="sum", padding_idx=NO_ROW)
        with torch.no_grad():
            self.placement.weight[:NO_ROW] = rows
        self.placement_bias = nn.Parameter(tensors["placement.bias"])
        self.output = nn.Parameter(tensors["output.weight"].reshape(BUCKETS, -1))
        self.output_bias = nn.Parameter(tensors["output.bias"])

    def forward(self, features, placement):
        """Logits, (position), of features (position, 363) and placement (position, 2, 32)."""
        first = [functional.relu(self.first[group](features[:, begin:end])) for group, (begin, end) in GROUPS.items()]
        hidden = functional.relu(self.hidden(torch.cat(first, 1)))
        views = functional.relu(self.placement(placement.reshape(-1, placement.shape[2])) + self.placement_bias)
        inputs = torch.cat([hidden, views.reshape(len(features), -1)], 1)
        pieces = (placement[:, 0] != NO_ROW).sum(1)
        return (inputs * self.output[(pieces - 1) // 4]).sum(1) + self.output_bias


def linear(tensors, name):
    weight = tensors[f"{name}.weight"]
    layer = nn.Linear(*weight.shape)
    with torch.no_grad():
        layer.weight.copy_(weight.T)
        layer.bias.copy_(tensors[f"{name}.bias"])
    return layer


def loss_of(logits, targets):
    """The cross-entropy of the chances (1 + value) / 2 with value = tanh(logit)."""
    return functional.binary_cross_entropy_with_logits(2 * logits, (1 + targets) / 2)


def load(folder, set_name):
    def array(name, kind, shape):
        return torch.from_numpy(numpy.fromfile(folder / f"{set_name}.{name}", kind).reshape(shape))

    return array("features", "<f4", (-1, 363)), array("placement", "<i4", (-1, 2, 32)), array("targets", "<f4", -1)


def validation_loss(net, data):
    with torch.no_grad():
        losses = [loss_of(net(features, placement), targets).item() * len(targets)
                  for features, placement, targets in zip(*(array.split(16384) for array in data))]
    return sum(losses) / len(data[2])


def pytorch(folder, training, validation, batch):
    """Positions a second and the loss after an epoch with batches of this size."""
    torch.manual_seed(1)
    net = ValueNet(load_file(folder / "initial.safetensors"))
    initial = {name: value.clone() for name, value in net.state_dict().items()}
    optimizer = torch.optim.Adam(net.parameters(), lr=RATE)
    steps = len(training[2]) // batch
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, LAST_RATE, steps)

    compiled = torch.compile(net)

    def step(positions):
        features, placement, targets = (array[positions] for array in training)
        optimizer.zero_grad()
        loss_of(compiled(features, placement), targets).backward()
        optimizer.step()

    for _ in range(WARM_STEPS):
        step(torch.randperm(len(training[2]))[:batch])
    net.load_state_dict(initial)
    optimizer.state.clear()
    start = time.monotonic()
    order = torch.randperm(len(training[2]))
    for number in range(steps):
        step(order[number * batch:(number + 1) * batch])
        schedule.step()
    rate = steps * batch / (time.monotonic() - start)
    return rate, validation_loss(net, validation)


def okapi(program, data, folder, threads, batch):
    """The same of `okapi train values`."""
    with tempfile.TemporaryDirectory() as runs:
        run = Path(runs) / "run"
        subprocess.run([program, "train", "values", data, "--out", run, "--epochs", "1", "--batch", str(batch), "--threads", str(threads),
                        "--initial", folder / "initial.safetensors", "--topology", "19x19+216x54+128x32-64+768x512-1x8"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(run / "log.csv") as file:
            row = list(csv.DictReader(file))[-1]
    return float(row["positions_per_second"]), float(row["loss"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="Okapi")
    parser.add_argument("data", type=Path, help="kept games")
    parser.add_argument("arrays", type=Path, help="the same as arrays")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batches", type=int, nargs="+", default=[4096, 16384, 65536])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    training, validation = load(options.arrays, "training"), load(options.arrays, "validation")
    print(f"torch {torch.__version__}, {len(training[2])} positions, {len(validation[2])} to validate, {options.threads} threads")
    print("| round | program | batch | positions a second | loss |\n| --- | --- | --- | --- | --- |")
    best = {"Okapi": 0.0, "PyTorch": 0.0}
    for number in range(1, options.rounds + 1):
        measured = [("Okapi", 4096, okapi(options.program, options.data, options.arrays, options.threads, 4096))]
        measured += [("PyTorch", batch, pytorch(options.arrays, training, validation, batch)) for batch in options.batches]
        for program, batch, (rate, loss) in measured:
            best[program] = max(best[program], rate)
            print(f"| {number} | {program} | {batch} | {rate:,.0f} | {loss:.5f} |", flush=True)
    print(f"the best of Okapi is {best['Okapi'] / best['PyTorch']:.2f} times the best of PyTorch")


if __name__ == "__main__":
    main()
