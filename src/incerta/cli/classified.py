"""What ``incerta classify`` found, and how it is told."""

from typing import TYPE_CHECKING, Any, NamedTuple

from incerta.classifiers.named import CLASSIFIERS
from incerta.cli.summary import MOST_ROWS, N_UNSURE, print_rows, say, shown
from incerta.wording import SURE, counted, share, verb

if TYPE_CHECKING:
    from incerta.classifiers.judged import Judged
    from incerta.cli.labels import Labels
    from incerta.data import UncertainData
    from incerta.typing import Array, Ids

# Of tables in 80 columns.
MOST_COLUMNS = 6
# Of standard errors, beyond which a difference is not taken for chance.
BEYOND_CHANCE = 2.0


class Known(NamedTuple):
    """Objects with their classes, to learn from."""

    data: "UncertainData"
    classes: "Ids"
    n_without: int  # objects that had no class
    absent: tuple[str, ...]  # what stood there


class Check(NamedTuple):
    """How well a method does in folds of the objects whose classes are known."""

    n_folds: int
    with_errors: "Judged"
    alone: "Judged | None"  # the same on the values alone; None if there are no errors

    def gain(self) -> tuple[float, float]:
        """How much lower the Brier score is with the errors, and its error."""
        import numpy as np

        assert self.alone is not None
        less = self.alone.squares - self.with_errors.squares
        return float(less.mean()), float(less.std() / np.sqrt(len(less)))


class Classified(NamedTuple):
    """Objects with the probabilities of their classes."""

    method: str
    known: Known
    ids: "Ids"
    classes: "Ids"
    probable: "Array"
    truth: "Labels | None"
    check: Check | None

    @property
    def confidence(self) -> "Array":
        """Probability of the class that was found."""
        most: Array = self.probable.max(axis=1)
        return most

    @property
    def found(self) -> "Ids":
        """Most probable class of each object."""
        most: Ids = self.classes[self.probable.argmax(axis=1)]
        return most

    def columns(self) -> dict[str, Any]:
        """Table of the objects, by columns."""
        return {
            "id": self.ids,
            "class": self.found,
            "confidence": self.confidence,
            **{f"p_{c}": self.probable[:, j] for j, c in enumerate(self.classes)},
        }

    def against_truth(self) -> "Judged | None":
        """How right the answers are, where the classes are known."""
        if self.truth is None or not len(self.truth.known):
            return None
        from incerta.classifiers.judged import judged

        return judged(self.probable[self.truth.known], self.classes, self.truth.classes)

    def confusion(self) -> tuple[list[str], Any]:
        """True classes, and how many objects of each were found to be what."""
        import numpy as np

        assert self.truth is not None
        names, rows = np.unique(self.truth.classes, return_inverse=True)
        counts = np.zeros((len(names), len(self.classes)), dtype=np.intp)
        columns = self.probable[self.truth.known].argmax(axis=1)
        np.add.at(counts, (rows, columns), 1)
        return names.tolist(), counts

    def facts(self) -> dict[str, Any]:
        """What was learned and found, for programs."""
        facts: dict[str, Any] = {
            "method": self.method,
            "learned_from": len(self.known.classes),
            "without_a_class": self.known.n_without,
            "classes": [
                {"class": name, "learned": learned, "found": found, "unsure": unsure}
                for name, learned, found, unsure in self.counts()
            ],
            "objects": len(self.ids),
            "unsure_below": SURE,
        }
        if self.check is not None:
            facts["folds"] = {"number": self.check.n_folds}
            facts["folds"] |= _scores(self.check.with_errors)
            if self.check.alone is not None:
                gain, error = self.check.gain()
                facts["folds"]["values_alone"] = _scores(self.check.alone)
                facts["folds"]["brier_gain"] = {"mean": gain, "standard_error": error}
        judged = self.against_truth()
        if judged is not None:
            names, counts = self.confusion()
            facts["against_known_classes"] = {
                "objects": len(judged.right),
                **_scores(judged),
                "true": names,
                "found": self.classes.tolist(),
                "confusion": counts.tolist(),
            }
        return facts

    def counts(self) -> list[tuple[str, int, int, int]]:
        """Each class, with how many were learned from, found and found unsurely."""
        found, unsure = self.found, self.confidence < SURE
        return [
            (
                str(name),
                int((self.known.classes == name).sum()),
                int((found == name).sum()),
                int((unsure & (found == name)).sum()),
            )
            for name in self.classes
        ]


def tell(found: Classified) -> None:
    """Say what was found, in 80 columns on stderr."""
    known, own = found.known, CLASSIFIERS[found.method]
    around = f" around {own.inner}" if own.inner else ""
    say(
        f"{counted(len(found.ids), 'object')} classified by {own.own}{around}, which "
        f"learned {len(found.classes)} classes from "
        f"{counted(len(known.classes), 'object')}.",
        bold=True,
    )
    if known.n_without:
        words = ", ".join("empty" if not w else shown(w) for w in known.absent)
        told = f" ({words})" if words else ""
        is_left = verb(known.n_without, "has no class and is", "have no class and are")
        n = counted(known.n_without, "object")
        say(f"{n} to learn from {is_left} left out{told}.")
    rows = [(shown(n), f"{a:,}", f"{b:,}", f"{c:,}") for n, a, b, c in found.counts()]
    print_rows(("class", "learned", "found", f"below {SURE}"), rows)
    say(_unsure(found))
    if found.check is not None:
        _tell_check(found.check)
    _tell_truth(found)


def _unsure(found: Classified) -> str:
    confidence = found.confidence
    least = confidence.argsort(kind="stable")[:N_UNSURE]
    least = least[confidence[least] < SURE]
    n = int((confidence < SURE).sum())
    told = f"Confidence below {SURE}: {n:,} of {counted(len(confidence), 'object')}"
    if not len(least):
        return f"{told}; mean {share(float(confidence.mean()))}."
    each = ", ".join(f"{shown(found.ids[i])} ({share(confidence[i])})" for i in least)
    return f"{told}. Least certain: {each}."


def _tell_check(check: Check) -> None:
    say(f"In {check.n_folds} folds of the objects to learn from:")
    pairs = [("with the errors", check.with_errors)]
    if check.alone is None:
        pairs = [("values are exact", check.with_errors)]
    else:
        pairs.append(("the same on the values alone", check.alone))
    rows = [(name, f"{one.accuracy:.3f}", f"{one.brier:.3f}") for name, one in pairs]
    print_rows(("", "accuracy", "Brier score"), rows)
    if check.alone is None:
        return
    gain, error = check.gain()
    way = "lower" if gain > 0 else "higher"
    told = f"with them the Brier score (0 is best) is {way} by {abs(gain):.3f} ±"
    told += f" {error:.3f}."
    if abs(gain) <= BEYOND_CHANCE * error:
        say(f"Whether the errors help is not clear: {told}")
    elif gain > 0:
        say(f"The errors help: {told}")
    else:
        say(f"The errors do not help: {told} Try another --method.")


def _tell_truth(found: Classified) -> None:
    judged = found.against_truth()
    if judged is None:
        return
    names, counts = found.confusion()
    n = counted(len(judged.right), "object")
    say(
        f"Against the known classes of {n}: accuracy {judged.accuracy:.3f}, Brier "
        f"score {judged.brier:.3f}."
    )
    strange = [name for name in names if name not in found.classes.tolist()]
    if strange:
        listed = ", ".join(map(shown, strange[:MOST_ROWS]))
        say(f"Classes that were not learned, and so are missed: {listed}.")
    if len(found.classes) <= MOST_COLUMNS:
        head = ("true, and found as", *(shown(c)[:10] for c in found.classes))
        rows = [
            (shown(name), *(f"{n:,}" for n in row))
            for name, row in zip(names, counts.tolist(), strict=True)
        ]
        print_rows(head, rows)
        return
    wrong = [
        (int(counts[i, j]), name, str(c))
        for i, name in enumerate(names)
        for j, c in enumerate(found.classes)
        if counts[i, j] and name != c
    ]
    wrong.sort(key=lambda one: -one[0])
    rows = [(shown(a), shown(b), f"{n:,}") for n, a, b in wrong[:MOST_ROWS]]
    if rows:
        print_rows(("true", "found as", "objects"), rows)


def _scores(one: "Judged") -> dict[str, float]:
    return {"accuracy": one.accuracy, "brier": one.brier}
