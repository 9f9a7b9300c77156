"""The client extension: frame hook, regions, dispatch, drive. Used by the `framegate` package only; users never import it."""
import types
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypedDict

Dynamic = Literal["auto", "true", "false"]
Stance = Literal["default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile"]

class GuardInfo(TypedDict):
    """A guard as a filter or `Region.entries` sees it."""
    name: str               # Python path of the subject ("x", "self.norm.eps", "G['SCALE']" is given as "SCALE"); "" for ambient guards
    kind: str               # guards/ir/guard_kinds.def
    torch_kind: str         # torch's guard type name
    expected: str           # repr
    line: int               # of the user's code that made it
    is_global: bool         # the subject is reached through a frame's globals
    has_value: bool         # filters only: the subject was found on the frame at hand
    value: Any              # filters only
    chain: tuple[tuple[str, Any], ...]   # filters only: (path, object) from the root to the subject's owner

class BreakInfo(TypedDict):
    kind: str               # model/breaks.def
    reason: str             # model/reasons.def: name
    what: str               # what happens
    advice: str
    detail: str
    filename: str
    line: int
    function: str           # name of the code that breaks, or of the root's code where it is not known

class EntryInfo(TypedDict):
    id: str                 # compile id without brackets: "0/1"
    code: str               # co_qualname
    filename: str
    line: int
    continuation: bool
    original: bool          # decided to run the original
    reason: str             # why, of `original`; else ""
    detail: str
    guards: list[GuardInfo]
    breaks: list[BreakInfo]
    graph: Graph | None

class ErrorInfo(TypedDict, total=False):
    """Given to the option `make_error`, which returns the exception to raise.
    kind "unsupported": a graph break or a refusal under fullgraph; `reason`, `what`, `advice`, `detail`, `filename`, `line`, `function`.
    kind "recompile_limit": the limit was reached under fullgraph; `limit`, `filename`, `line`, `function`.
    kind "fail_on_recompile": a miss under that stance, "skip_guard_eval": a miss under skip_guard_eval_unsafe; `misses`, `function`.
    kind "filter": a guard filter gave the wrong number of answers; `detail`."""
    kind: str
    reason: str
    what: str
    advice: str
    detail: str
    filename: str
    line: int
    function: str
    limit: int
    misses: list[dict[str, Any]]

class RegionOptions(TypedDict, total=False):
    backend: Callable[[Graph, list[Any]], Callable[..., Any]]   # once per graph; what it raises reaches the caller (see suppress_errors)
    fullgraph: bool                                             # default False
    dynamic: Dynamic                                            # default "auto"
    guard_filter: Callable[[list[GuardInfo]], Sequence[bool]] | None
    recompile_limit: int | None                                 # None: the global option
    on_limit: Callable[[str], object] | None                    # once per code object; the text names it and recompile_limit
    name: str

class Region:
    """One compiled callable's backend, options, entries and decisions. Garbage collected; entries die with it."""
    def __init__(self, options: RegionOptions) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def options(self) -> RegionOptions: ...
    def entries(self) -> list[EntryInfo]:
        """Installed entries and decisions for originals, oldest first."""
    def printed(self, id: str) -> tuple[str, types.CodeType | None]:
        """The parts of one entry in the text of their IRs, a part a line, and its new code. KeyError where there is none."""
    def reset(self) -> None: ...

class Optimized:
    """fn in a region. Vectorcall; binds as a method; other attributes are fn's (reads, writes, deletions); weakly referenced; pickled and
    copied as a function is. `__wrapped__` is fn; `region` is the region."""
    def __init__(self, region: Region, fn: Callable[..., Any]) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any: ...
    __wrapped__: Callable[..., Any]
    @property
    def region(self) -> Region: ...

class Disabled:
    """fn with the thread's region suspended while it runs; a break where captured code calls it. Otherwise as Optimized."""
    def __init__(self, fn: Callable[..., Any]) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any: ...
    __wrapped__: Callable[..., Any]

class NodeRef:
    """An argument of a graph node that is an earlier node."""
    @property
    def index(self) -> int: ...

Node = tuple[str, str, Any, tuple[Any, ...], dict[str, Any], int, int]
"""(op, name, target, args, kwargs, index into positions() or -1, index into module_stacks() or -1). `target` is the live callable of a
call_function, the name of a call_method or get_attr, the source name (L_x_) of a placeholder."""

Body = tuple[list[Node], Callable[..., tuple[Any, ...]], list["Body"]]      # nodes, the same as a function, bodies of its own

class Graph:
    """A graph as the daemon sent it. Everything but `forward` is built when it is asked for."""
    @property
    def forward(self) -> Callable[..., tuple[Any, ...]]:
        """A Python function of the flat inputs."""
    @property
    def compile_id(self) -> str: ...                            # "[0/1_0]"
    def nodes(self) -> list[Node]: ...
    def placeholders(self) -> list[tuple[str, str, str, int]]:
        """(node name, source name, Python path, dimension or -1) per input; with a dimension, that size of the tensor at the path."""
    def require(self, conditions: list[list[tuple[str, int, int]]]) -> bool:
        """Conditions on the inputs, checked with the entry's own guards on each call (see conditions.Condition). False: too late, the entry
        is in use. ValueError: no such condition."""
    def positions(self) -> list[tuple[int, str, str, int]]: ... # (index of the caller or -1, filename, function, absolute line)
    def module_stacks(self) -> list[tuple[int, str, str]]: ...  # (index of the parent or -1, path, module:qualname)
    def bodies(self) -> list[Body]: ...                         # functions that nodes are given: NodeRef(-1) is the first, and so on

class HeldInputs:
    """A graph's callable of all its flat inputs, of which those at `positions` (ascending) are held by what `make(inputs)` returns, which
    takes the others. `make` is called for `inputs`, and again when a call brings other objects at those positions."""
    def __init__(self, positions: list[int], make: Callable[[list[Any]], Callable[..., Any]], inputs: list[Any]) -> None: ...
    def __call__(self, *inputs: Any) -> Any: ...

def set_option(name: str, value: Any) -> Any:
    """Sets a process-wide option and returns the value before. ValueError for an unknown name or value.
    graphless "auto"|"always"|"never", recompile_limit int, guard_nn_modules bool, install_free_tensors bool, instruction_budget int,
    inline_depth int, suppress_errors bool, skip_files tuple[str, ...] (prefixes of co_filename that are never a root unless called by
    the Optimized itself), make_error Callable[[ErrorInfo], BaseException]."""

def get_option(name: str) -> Any: ...

def set_stance(stance: Stance, skip_guard_eval_unsafe: bool = False) -> tuple[Stance, bool]:
    """Sets the calling thread's stance and returns the one before. RuntimeError for an unknown name."""

def stats() -> dict[str, int]: ...
def reset_stats() -> None: ...
def misses() -> list[dict[str, Any]]:
    """Keys code, entry, subject, expected, actual; oldest first."""
def reset() -> None:
    """Drops all entries, decisions and automatic-dynamic history of all regions of the process."""
def region_active() -> bool:
    """Whether the calling thread has a live region that is not suspended."""
