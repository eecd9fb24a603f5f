"""``python -m paper``: the paper's experiments, repeated."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from incerta.backend.progress import bars
from incerta.cli import options
from incerta.cli.app import Commands
from incerta.cli.output import say
from paper import sensitivity as sensitivities
from paper import sweeps, timing
from paper.blocks import in_figures
from paper.figures import draw_claims, draw_figure2, draw_figure3, draw_sensitivity
from paper.methods import METHODS
from paper.outputs import versions, write_figure, write_table2
from paper.sets import MODES, SETS, UNCERTAIN
from paper.table2 import Line
from paper.table2 import table2 as compute_table2

ALL_SETS, ALL_METHODS = ",".join(SETS), ",".join(METHODS)
UNCERTAIN_SETS = ",".join(UNCERTAIN)

paper = typer.Typer(
    name="paper",
    help="Repeat the experiments of the paper that RPC comes from.",
    epilog="""\
\b
Examples:
  python -m paper table2 --data wine,ecoli --seeds 3 --out results
  python -m paper table2 --methods RPC,UK-means
  python -m paper figure2 --out results""",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _numbers(value: str) -> str:
    try:
        if min(map(float, value.split(","))) > 0:
            return value
    except ValueError:
        pass
    msg = f"{value!r} is not a list of numbers above 0, separated by commas."
    raise typer.BadParameter(msg)


def _not_none(value: int) -> int:
    if value == 0:
        msg = "0 processes do nothing; 1 is one, −1 one for each core."
        raise typer.BadParameter(msg)
    return value


Data = Annotated[
    str,
    typer.Option(
        "--data",
        metavar="NAME,…",
        callback=options.some_of(SETS),
        help=f"Data sets, separated by commas, of {', '.join(SETS)}; all by default, "
        "or for figures those of the paper. All but wine and weather are looked for "
        "where INCERTA_DATA says, or fetched.",
        show_default=False,
    ),
]
Methods = Annotated[
    str,
    typer.Option(
        "--methods",
        metavar="NAME,…",
        callback=options.some_of(METHODS),
        help=f"Methods, separated by commas, of {', '.join(METHODS)}; all by default.",
        show_default=False,
    ),
]
Seeds = Annotated[
    int,
    typer.Option(
        "--seeds", metavar="N", min=1, help="Draws of the data: seeds 0 to N − 1."
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="DIR",
        file_okay=False,
        help="Folder for results. What is in it already is not computed again.",
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        metavar="N",
        callback=_not_none,
        help="Processes; −1 is one for each core of the machine.",
    ),
]
Mode = Annotated[
    str,
    typer.Option(
        "--mode",
        metavar="MODE",
        callback=options.one_of(MODES),
        help="Where errors of exact sets are: centered on the value, or displaced, "
        "around a measurement of it.",
    ),
]
Noise = Annotated[
    str,
    typer.Option(
        "--noise",
        metavar="X,…",
        callback=_numbers,
        help="Errors added to exact sets, in standard deviations of each feature.",
    ),
]
HERE = Path("incerta-paper")
NOISES = "0.25,0.5,1"


@paper.command()
def table2(
    *,
    data: Data = ALL_SETS,
    methods: Methods = ALL_METHODS,
    seeds: Seeds = 10,
    mode: Mode = "centered",
    out: Out = HERE,
    jobs: Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Compare all methods on all data sets (Table 2).

    Accuracy and NMI, mean and standard deviation over seeds, beside the paper's
    figures. Every cell is stored in DIR when it is done: a run that was stopped goes
    on where it was. Exact sets get Gaussian errors that no label has a part in.
    Density methods are shown without labels, and with parameters that labels chose.
    """
    start = time.perf_counter()
    with bars(shown=not quiet):
        lines = compute_table2(
            out, data.split(","), methods.split(","), seeds, mode, n_jobs=jobs
        )
    command = "python -m paper table2"
    command += f" --data {data}" * (data != ALL_SETS)
    command += f" --methods {methods}" * (methods != ALL_METHODS)
    about = {
        "command": f"{command} --seeds {seeds} --mode {mode}",
        "seeds": f"0 to {seeds - 1}" if seeds > 1 else "0",
        "uncertainty of the exact sets": f"Gaussian, {mode}, standard deviation 0.5 "
        "on average in units of each feature's; no label has a part in it",
        "CPU time of the fits": _hours(
            sum(each.cpu_seconds * each.n_seeds for each in lines)
        ),
        "versions": versions(),
    }
    _print_table(lines)
    _tell(write_table2(lines, about, out), out, start, quiet)


@paper.command()
def figure2(
    *,
    data: Data = UNCERTAIN_SETS,
    seeds: Seeds = 10,
    out: Out = HERE,
    jobs: Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Accuracy of RPC with 10 to 100 worlds (Figure 2).

    Worlds are kept by the paper's rule (Eq. 7), by how central they are, and at
    random.
    """
    start = time.perf_counter()
    with bars(shown=not quiet):
        points = sweeps.figure2(out, data.split(","), seeds, n_jobs=jobs)
    _tell(write_figure("figure2", points, draw_figure2, out), out, start, quiet)


@paper.command()
def figure3(
    *,
    data: Data = UNCERTAIN_SETS,
    methods: Methods = ALL_METHODS,
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", min=1, help="Fits of each method.")
    ] = 5,
    out: Out = HERE,
    quiet: options.Quiet = False,
) -> None:
    """Running time of all methods (Figure 3).

    CPU time on one core, one fit after the other; measured anew in each run.
    """
    start = time.perf_counter()
    with bars(shown=not quiet):
        durations = timing.figure3(data.split(","), methods.split(","), runs)
    _tell(write_figure("figure3", durations, draw_figure3, out), out, start, quiet)


@paper.command()
def claims(
    *,
    data: Data = ALL_SETS,
    seeds: Seeds = 10,
    sweep_seeds: Annotated[
        int,
        typer.Option(
            "--sweep-seeds",
            metavar="N",
            min=1,
            help="Draws with other errors than those of Table 2, which are 0.5.",
        ),
    ] = 3,
    mode: Mode = "centered",
    noise: Noise = NOISES,
    out: Out = HERE,
    jobs: Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Test what the paper says of the steps of RPC, one by one.

    Each step is exchanged for a simpler one on the same worlds: chosen worlds for
    random ones, 10 for 40, Silverman's widths for Scott's, consistency learning for
    the mean affinity. Differences are paired by seed, with 95 % confidence intervals.
    """
    start = time.perf_counter()
    with bars(shown=not quiet):
        found = sweeps.claims(
            out,
            data.split(","),
            _split(noise),
            seeds,
            sweep_seeds,
            mode,
            n_jobs=jobs,
        )
    _tell(write_figure("claims", found, draw_claims, out), out, start, quiet)


@paper.command()
def sensitivity(
    *,
    data: Data = ALL_SETS,
    methods: Methods = ALL_METHODS,
    seeds: Seeds = 3,
    mode: Mode = "displaced",
    noise: Noise = NOISES,
    out: Out = HERE,
    jobs: Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """How accuracy and confidence move with the uncertainty.

    Exact sets get larger and larger errors; of the others that part of the spread of
    every object is kept. No label is used.
    """
    start = time.perf_counter()
    with bars(shown=not quiet):
        found = sensitivities.sensitivity(
            out,
            data.split(","),
            methods.split(","),
            _split(noise),
            seeds,
            mode,
            n_jobs=jobs,
        )
    _tell(write_figure("sensitivity", found, draw_sensitivity, out), out, start, quiet)


def _split(noise: str) -> list[float]:
    return [float(each) for each in noise.split(",")]


def _tell(names: Sequence[str], folder: Path, start: float, quiet: bool) -> None:
    if quiet:
        return
    took = _hours(time.perf_counter() - start)
    say(f"Written to {folder} in {took}: {', '.join(names)}")


def _hours(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _print_table(lines: Sequence[Line]) -> None:
    """Accuracies, each above the paper's, in 80 columns."""
    shown = [line for line in lines if line.input == "uncertain"]
    sets = list(dict.fromkeys(line.set for line in shown))
    of = {(line.set, line.method, line.tuning): line for line in shown}
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("ACC", no_wrap=True)
    for name in sets:
        table.add_column(name, justify="right", no_wrap=True)
    for method in dict.fromkeys(line.method for line in shown):
        is_tuned = (sets[0], method, "labels") in of
        plain = [of[name, method, "auto" if is_tuned else "none"] for name in sets]
        table.add_row(method, *(in_figures(line.acc) for line in plain))
        if is_tuned:
            best = [of[name, method, "labels"] for name in sets]
            table.add_row("  tuned †", *(in_figures(line.acc) for line in best))
        paper = [in_figures(line.paper_acc) for line in plain]
        table.add_row("  paper †" if is_tuned else "  paper", *paper, style="dim")
    console = Console(highlight=False, markup=False)
    console.print(table)
    if any(line.tuning == "labels" for line in shown):
        console.print("† with parameters that were chosen by comparing with the labels")
