"""Real data with errors or repeats, and known classes (for scoring only)."""

import os
from pathlib import Path

import numpy as np
import pandas as pd

import incerta as ic

COLORS = (
    ("PS1_z", "PS1_y"),
    ("PS1_y", "2MASS_J"),
    ("2MASS_J", "2MASS_H"),
    ("2MASS_H", "2MASS_Ks"),
    ("2MASS_Ks", "WISE_W1"),
    ("WISE_W1", "WISE_W2"),
)
FEWEST_COLORS = 3


def table(name):
    """Read a table from the folder INCERTA_DATA."""
    path = Path(os.environ["INCERTA_DATA"]) / "real" / f"{name}.csv.gz"
    return pd.read_csv(path, low_memory=False)


def numbered(classes):
    return np.unique(np.asarray(classes).astype(str), return_inverse=True)[1]


def ultracool():
    """Colors of cool dwarfs, whose types M, L and T are a sequence."""
    stars = table("ultracool")
    stars = stars[stars["class"].isin(["M", "L", "T"])]
    colors = np.column_stack([stars[a] - stars[b] for a, b in COLORS])
    errors = [np.hypot(stars[f"{a}_err"], stars[f"{b}_err"]) for a, b in COLORS]
    errors = np.column_stack(errors)
    known = np.isfinite(colors) & np.isfinite(errors)
    rows = known.sum(axis=1) >= FEWEST_COLORS
    values = np.where(known, colors, np.nan)[rows]
    data = ic.from_gaussian(values, std=errors[rows], missing="infinite")
    return data, numbered(stars["class"][rows])


def blazars():
    """Two kinds of active galaxies by their gamma rays."""
    found = table("blazars")
    values, errors = [], []
    for name in ("PL_Index", "LP_beta"):
        values.append(found[name])
        errors.append(found[f"Unc_{name}"])
    for name in ("Flux1000", "Energy_Flux100"):
        values.append(np.log(found[name]))
        errors.append(found[f"Unc_{name}"] / found[name])
    varies, open_ = found["Frac_Variability"], found["Unc_Frac_Variability"]
    values.append(varies.where(open_ < 10.0))  # 0 ± 10 was not measured
    errors.append(open_)
    values, errors = np.column_stack(values), np.column_stack(errors)
    values[np.isnan(errors)] = np.nan
    data = ic.from_gaussian(values, std=errors, missing="infinite")
    return data, numbered(found["class"])


def lopit_fly():
    """Organelles of proteins, by their shares in four fractions."""
    rows = table("lopit_fly")
    fractions = rows[["X114", "X115", "X116", "X117"]].to_numpy(float)
    return _repeated(fractions, rows["protein"], rows["marker"])


def olive_ftir():
    """Countries of olive oils, by two infrared spectra of each."""
    rows = table("olive_ftir")
    spectra = rows[[c for c in rows if c.startswith("w")]].to_numpy(float)
    return _repeated(spectra, rows["oil"], rows["country"])


def rna_mixtures():
    """Mixtures of RNA, by logs of shares of counts; the first two are the same."""
    wells = table("rna_mixtures")
    counts = wells[[c for c in wells if c.startswith("n_")]].to_numpy(float) + 0.5
    logs = np.log(counts / wells["total_count"].to_numpy(float)[:, None])
    data = ic.from_gaussian(logs, std=1.0 / np.sqrt(counts))
    return data, numbered(np.maximum(wells["mix"], 2))


def _repeated(values, objects, classes):
    data = ic.from_samples(values, objects, meaning="error")
    by_object = pd.Series(np.asarray(classes), index=np.asarray(objects))
    by_object = by_object[~by_object.index.duplicated()]
    return data, numbered(by_object.loc[data.ids])


REAL = {
    each.__name__: each
    for each in (ultracool, blazars, lopit_fly, olive_ftir, rna_mixtures)
}
