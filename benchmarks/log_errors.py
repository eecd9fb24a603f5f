"""Rules for the error of the logarithm of a measured value.

Values of two groups, log-normal in two features, are measured with additive or
multiplicative errors. These have the given relative size on average and differ between
objects. The logarithms get errors by three rules:

first order   log v, s / v
log-normal    mean and deviation of the logarithm of a log-normal quantity with mean v
              and deviation s
widths only   log v, and the deviation of that log-normal

For each rule, the output has the bias of the mean and of the standard deviation that
`Deconvolver` estimates for one group (in standard deviations of the truth), and the
accuracy of `ErrorMixture` for the two groups, over ten seeds.

    python benchmarks/log_errors.py    # a minute
"""

import argparse
import warnings

import numpy as np

import incerta as ic
from incerta.metrics import clustering_accuracy

SPREAD = 0.4  # of the logarithm, within a group
RULES = ("first order", "log-normal", "widths only")


def measured(truth, size, how, rng):
    """Draw values and the standard deviations in a catalog."""
    relative = size * rng.uniform(0.2, 1.8, size=(len(truth), 1)) * np.ones(2)
    noise = rng.normal(size=truth.shape)
    if how == "adds":
        # A catalog states the deviation of the instrument, which does not depend on
        # the noise.
        deviation = relative * truth
        return truth + deviation * noise, deviation
    value = truth * np.exp(relative * noise)
    return value, relative * value


def logarithms(value, deviation, rule):
    relative = deviation / value
    width = relative if rule == "first order" else np.sqrt(np.log1p(relative**2))
    shift = width**2 / 2 if rule == "log-normal" else 0.0
    return np.log(value) - shift, width


def sample(n, size, how, seed):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, size=n)
    center = np.array([[0.0, 0.0], [0.7, 0.9]])
    truth = np.exp(center[group] + SPREAD * rng.normal(size=(n, 2)))
    value, deviation = measured(truth, size, how, rng)
    kept = (value > 0).all(axis=1)
    return group[kept], truth[kept], value[kept], deviation[kept]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a single small run")
    small = parser.parse_args().small
    seeds, n = (1, 60) if small else (10, 400)
    warnings.simplefilter("ignore")
    print("errors    size  rule          bias of mean  of deviation  accuracy")
    for how in ("adds", "multiplies"):
        for size in (0.1,) if small else (0.1, 0.2, 0.3):
            for rule in RULES:
                rows = [row(size, how, rule, n, seed) for seed in range(seeds)]
                bias, width, accuracy = np.mean(rows, axis=0)
                print(
                    f"{how:10}{size:4.1f}  {rule:12}  {bias:+12.3f}  {width:+12.3f}"
                    f"  {accuracy:8.3f}",
                    flush=True,
                )


def row(size, how, rule, n, seed):
    group, truth, value, deviation = sample(n, size, how, seed)
    mean, width = logarithms(value, deviation, rule)
    one, true = group == 0, np.log(truth)
    prior = ic.Deconvolver().fit(ic.from_gaussian(mean[one], std=width[one]))
    found = np.sqrt(prior.covariances_[0].diagonal())
    data = ic.from_gaussian(mean, std=width)
    mixture = ic.ErrorMixture(n_components=2, random_state=0).fit(data)
    return (
        (prior.means_ - true[one].mean(axis=0)).mean() / SPREAD,
        (found / true[one].std(axis=0)).mean() - 1,
        clustering_accuracy(group, mixture.labels_),
    )


if __name__ == "__main__":
    main()
