"""``python -m paper``: a replication of the experiments of the paper."""

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
    help="Replicate the experiments of the paper that introduced RPC.",
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
    msg = f"{value!r} must be a list of numbers above 0, separated by commas."
    raise typer.BadParameter(msg)


def _not_none(value: int) -> int:
    if value == 0:
        msg = "the number of processes must not be 0; use 1, or −1 for one per core."
        raise typer.BadParameter(msg)
    return value


Data = Annotated[
    str,
    typer.Option(
        "--data",
        metavar="NAME,…",
        callback=options.some_of(SETS),
        help=f"Data sets, separated by commas, of {', '.join(SETS)}. The default is "
        "all, or for figures those of the paper. Sets other than wine and weather are "
        "read from the folder INCERTA_DATA, or fetched.",
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
        "--seeds", metavar="N", min=1, help="Number of draws, with seeds 0 to N − 1."
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="DIR",
        file_okay=False,
        help="Folder for results. Results already in it are not computed again.",
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        metavar="N",
        callback=_not_none,
        help="Number of processes; −1 is one per core.",
    ),
]
Mode = Annotated[
    str,
    typer.Option(
        "--mode",
        metavar="MODE",
        callback=options.one_of(MODES),
        help="Center of the errors of exact sets: the value (centered) or a "
        "measurement of it (displaced).",
    ),
]
Noise = Annotated[
    str,
    typer.Option(
        "--noise",
        metavar="X,…",
        callback=_numbers,
        help="Size of the errors added to exact sets, in standard deviations of each "
        "feature.",
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

    Accuracy and NMI, as mean and standard deviation over seeds, are shown beside the
    figures of the paper. Every cell is stored in DIR when it is done, so an interrupted
    run resumes. Exact sets get Gaussian errors without the use of labels. Density
    methods are shown without labels, and with parameters chosen with labels.
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
        "on average in units of each feature's; no label is used",
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
    """Measure the accuracy of RPC with 10 to 100 worlds (Figure 2).

    Worlds are kept by the rule of the paper (Eq. 7), by centrality, and at random.
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
        int, typer.Option("--runs", metavar="N", min=1, help="Fits per method.")
    ] = 5,
    out: Out = HERE,
    quiet: options.Quiet = False,
) -> None:
    """Measure the running time of all methods (Figure 3).

    This is the CPU time on one core, one fit at a time, measured again in each run.
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
            help="Number of draws with errors other than 0.5, the size in Table 2.",
        ),
    ] = 3,
    mode: Mode = "centered",
    noise: Noise = NOISES,
    out: Out = HERE,
    jobs: Jobs = -1,
    quiet: options.Quiet = False,
) -> None:
    """Test the claims of the paper about the steps of RPC, one by one.

    Each step is replaced by a simpler one on the same worlds: chosen worlds by random
    ones, 10 worlds by 40, Silverman's widths by Scott's, consistency learning by the
    mean affinity. Differences are paired by seed, with 95% confidence intervals.
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
    """Measure how accuracy and confidence depend on the uncertainty.

    Exact sets get larger and larger errors. Of other sets, a share of the spread of
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
    """Print accuracies, each above that of the paper, in 80 columns."""
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
        console.print("† with parameters chosen with the labels")
