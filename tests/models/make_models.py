"""Writes the stored models of the present format: python tests/models/make_models.py.

Run it once when the format changes; the files of older formats stay as they are.
"""

import json
from pathlib import Path

import numpy as np

import incerta as ic
from incerta.models.archive import Budget
from incerta.models.files import FORMAT_VERSION, save

# Budget of values that no file made up.
UNLIMITED = Budget(Path(), 2**60, 2**60)
FOLDER = Path(__file__).parent / "stored"
MEAN = [[0.0, 0.1], [0.3, 0.0], [0.1, 0.4], [0.2, 0.2], [5.0, 5.1], [5.3, 5.0]]
MEAN += [[5.1, 5.4], [5.2, 5.2]]
NEW = [[0.2, 0.1], [5.1, 5.2], [2.6, 2.4], [20.0, -20.0]]


def models():
    data = ic.from_gaussian(
        MEAN,
        std=np.linspace(0.1, 0.8, 16).reshape(8, 2),
        ids=[f"star {i}" for i in range(8)],
        feature_names=["mass", "light"],
    )
    return {
        "RPC": ic.RPC(2, n_worlds=5, n_representatives=3, random_state=0).fit(data),
        "UKMeans": ic.UKMeans(2, random_state=0).fit(data),
        "Clustering": ic.cluster(data, k=2, method="UKMeans"),
        "FDBSCAN": ic.FDBSCAN(eps=1.5, min_samples=3, n_worlds=20, random_state=0).fit(
            data
        ),
    }


def answers(model):
    """What a model says, as JSON holds it."""
    new = ic.from_gaussian(NEW, std=0.3, feature_names=["mass", "light"])
    fitted = getattr(model, "estimator", model)
    return {
        "labels": fitted.labels_.tolist(),
        "membership": fitted.membership_.tolist(),
        "confidence": fitted.confidence_.tolist(),
        "predict": model.predict(new).tolist(),
        "predict_proba": model.predict_proba(new).tolist(),
    }


if __name__ == "__main__":
    folder = FOLDER / f"v{FORMAT_VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in models().items():
        save(model, folder / f"{name}.incerta")
        text = json.dumps(answers(model), indent=1)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
