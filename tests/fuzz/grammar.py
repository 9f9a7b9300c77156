"""Random Python programs: a module of functions whose values have known types, so that most statements do something.

Everything a program does is deterministic and ends: loops run over small things, recursion counts down.
"""
from __future__ import annotations

import random
from collections.abc import Callable

MOST_DEPTH = 3        # of blocks
MOST_EXPRESSION = 3   # of expressions

PRELUDE = '''\
LIMIT = 5
TABLE = {"a": 1, "b": 2}
LOG = []


class Box:
    kind = "box"

    def __init__(self, size, tag="t"):
        self.size = size
        self.tag = tag

    @property
    def area(self):
        return self.size * self.size

    def grow(self, by=1, *, times=1):
        self.size += by * times
        return self

    def __eq__(self, other):
        return isinstance(other, Box) and self.size == other.size

    def __hash__(self):
        return hash(self.size)

    def __len__(self):
        return self.size % 4

    def __add__(self, other):
        return Box(self.size + other) if isinstance(other, int) else NotImplemented

    def __getitem__(self, index):
        if index >= 3:
            raise IndexError(index)
        return self.size + index

    def __repr__(self):
        return f"Box({self.size}, {self.tag!r})"


class Lid(Box):
    def grow(self, by=1, **options):
        super().grow(by + 1, **options)
        self.tag += "+"
        return self

    def __getattr__(self, name):
        if name.startswith("no_"):
            raise AttributeError(name)
        return len(name)


class Guarding:
    def __init__(self, swallow):
        self.swallow = swallow

    def __enter__(self):
        LOG.append("in")
        return self.swallow

    def __exit__(self, kind, value, trace):
        LOG.append(kind.__name__ if kind else "out")
        return self.swallow and kind is not None and issubclass(kind, LookupError)


class Refused(ValueError):
    pass


def pause(value):
    LOG.append(repr(value))
    return value


def fail(value):
    if value:
        raise LookupError(repr(value))


def touch(value):
    LOG.append("touched")
    if isinstance(value, list):
        value.append(9)
    elif isinstance(value, dict):
        value["t"] = len(value)
    elif isinstance(value, set):
        value.add(9)
    elif isinstance(value, Box):
        value.size += 1
    TABLE["touched"] = len(LOG)
    return value
'''

OPAQUE = ("pause", "fail", "touch")   # what a program with breaks calls and the compiled one must not look into


class Program:
    """One module: `source`, and `calls`, (function name, tuple of argument sources) in the order in which they are made.

    breaks    how many of its expressions are calls of OPAQUE, which happen in the middle of whatever is around them
    """

    prelude = PRELUDE

    def __init__(self, seed: int, breaks: float = 0):
        self.random = random.Random(seed)
        self.breaks = breaks
        self.statements = 0
        self.lines: list[str] = []
        self.functions: list[tuple[str, list[str], str]] = []   # name, types of its parameters, type of its result
        self.names = 0
        for index in range(self.random.randint(1, 4)):
            self._function(f"f{index}")
        name, parameters, _ = self.functions[-1]
        self.calls = [(name, tuple(self._literal(kind) for kind in parameters)) for _ in range(3)]
        self.calls.append(self.calls[0])
        self.source = self.prelude + "\n\n" + "\n".join(self.lines) + "\n"

    # --- names and scopes ---

    def _function(self, name: str) -> None:
        parameters = [self._kind() for _ in range(self.random.randint(1, 3))]
        result = self._kind()
        self.scope: list[tuple[str, str]] = [(f"p{i}", kind) for i, kind in enumerate(parameters)]
        self.loops, self.result, self.is_generator = 0, result, False
        self.lines.append(f"def {name}({', '.join(n for n, _ in self.scope)}):")
        self._block(1, self.random.randint(3, 7))
        self._emit(1, f"return {self._expression(result)}")
        self.lines.append("")
        self.functions.append((name, parameters, result))

    def _kind(self) -> str:
        return self.random.choice(["int", "int", "int", "str", "bool", "list", "dict", "tuple", "box", "float", "set"])

    def _new(self, kind: str) -> str:
        self.names += 1
        name = f"v{self.names}"
        self.scope.append((name, kind))
        return name

    def _known(self, kind: str) -> list[str]:
        return [name for name, of in self.scope if of == kind]

    # --- statements ---

    def _emit(self, depth: int, text: str) -> None:
        self.statements += 1
        self.lines.append("    " * depth + text)

    def _block(self, depth: int, count: int) -> None:
        before = len(self.scope)
        for _ in range(count):
            if self.breaks and self.random.random() < self.breaks:
                self._pause(depth)
            self.random.choice(self._statements(depth))(self, depth)
        if depth > 1:
            del self.scope[before:]

    def _statements(self, depth: int) -> list[Callable[[Program, int], None]]:
        return _SIMPLE if depth > MOST_DEPTH else _SIMPLE + _COMPOUND

    def _forms(self, kind: str) -> list[Callable[[Callable[[str], str]], str]]:
        return _EXPRESSIONS[kind]

    def _assign(self, depth: int) -> None:
        kind = self._kind()
        value = self._expression(kind)
        known = self._known(kind)
        self._emit(depth, f"{self.random.choice(known) if known and self.random.random() < 0.4 else self._new(kind)} = {value}")

    def _augment(self, depth: int) -> None:
        kind, operator = self.random.choice([("int", "+"), ("int", "-"), ("int", "*"), ("int", "//"), ("int", "^"), ("str", "+"), ("list", "+"),
                                             ("set", "|"), ("dict", "|"), ("float", "*"), ("tuple", "+"), ("int", "%"), ("int", ">>")])
        known = self._known(kind)
        if known:
            name, value = self.random.choice(known), self._expression(kind)
            if kind == "int" and operator == "*":
                self._emit(depth, f"{name} = ({name} * {value}) % 9973")
            elif operator in (">>",):
                self._emit(depth, f"{name} >>= abs({value}) % 5")
            elif kind in ("str", "list", "tuple"):
                self._emit(depth, f"{name} += ({value})[:4]")
            else:
                self._emit(depth, f"{name} {operator}= {value}")

    def _mutate(self, depth: int) -> None:
        e = self._expression
        kind = self.random.choice(["list", "dict", "box", "set", "log", "global"])
        known = self._known(kind)
        if kind == "log":
            return self._emit(depth, f"LOG.append({e(self._kind())})")
        if kind == "global":
            return self._emit(depth, f"TABLE[{e('str')}] = {e('int')}")
        if not known:
            return
        name = self.random.choice(known)
        self._emit(depth, self.random.choice({
            "list": [f"{name}.append({e('int')})", f"{name}.insert(0, {e('int')})", f"{name}[{e('int')}] = {e('int')}", f"del {name}[0]",
                     f"{name}.sort()", f"{name}.reverse()", f"{name}.extend({e('tuple')})", f"{name}.pop()", f"{name}[1:2] = {e('list')}[:3]",
                     f"{name}.clear()"],
            "dict": [f"{name}[{e('str')}] = {e('int')}", f"{name}.pop({e('str')}, None)", f"{name}.setdefault({e('str')}, {e('int')})",
                     f"{name}.update({e('dict')})", f"del {name}[{e('str')}]", f"{name}.update(k={e('int')})"],
            "box": [f"{name}.size = {e('int')}", f"{name}.grow({e('int')})", f"{name}.grow(times={e('int')})", f"{name}.extra = {e('str')}",
                    f"setattr({name}, 'tag', {e('str')})", f"del {name}.tag"],
            "set": [f"{name}.add({e('int')})", f"{name}.discard({e('int')})", f"{name}.update({e('list')})", f"{name}.remove({e('int')})"],
        }[kind]))

    def _unpack(self, depth: int) -> None:
        form = self.random.choice(["pair", "star", "swap", "nested", "walrus"])
        e = self._expression
        if form == "pair":
            first, second = e("int"), e("str")
            self._emit(depth, f"{self._new('int')}, {self._new('str')} = {first}, {second}")
        elif form == "star":
            value = e("list")
            self._emit(depth, f"{self._new('int')}, *{self._new('list')} = [7, *{value}]")
        elif form == "nested":
            value = e("int")
            self._emit(depth, f"({self._new('int')}, [{self._new('int')}, {self._new('str')}]) = ({value}, (2, 'n'))")
        elif form == "walrus":
            value = e("int")
            self._emit(depth, f"{self._new('bool')} = ({self._new('int')} := {value}) > 2")
        elif len(self._known("int")) >= 2:
            a, b = self.random.sample(self._known("int"), 2)
            self._emit(depth, f"{a}, {b} = {b}, {a}")

    def _pause(self, depth: int) -> None:
        kind = self._kind()
        self._emit(depth, self.random.choice([f"pause({self._expression(kind)})", f"fail({self._expression('bool')})", f"touch({self._expression(kind)})"]))

    def _if(self, depth: int) -> None:
        self._emit(depth, f"if {self._expression('bool')}:")
        self._body(depth)
        if self.random.random() < 0.3:
            self._emit(depth, f"elif {self._expression(self._kind())}:")
            self._body(depth)
        if self.random.random() < 0.5:
            self._emit(depth, "else:")
            self._body(depth)

    def _body(self, depth: int) -> None:
        self._block(depth + 1, self.random.randint(1, 3))
        self._emit(depth + 1, "pass")

    def _for(self, depth: int) -> None:
        e = self._expression
        form = self.random.randint(0, 7)
        before = len(self.scope)
        iterable = [lambda: f"range(abs({e('int')}) % 5)", lambda: f"{e('list')}[:4]", lambda: f"sorted({e('dict')}.items())[:3]",
                    lambda: f"enumerate({e('str')}[:3])", lambda: f"zip({e('list')}[:3], {e('tuple')})", lambda: f"reversed({e('tuple')}[:4])",
                    lambda: f"list({e('dict')}.values())[:4]", lambda: f"({e('box')})"][form]()
        targets = {2: ("str", "int"), 3: ("int", "str"), 4: ("int", "int")}.get(form, ("int",))
        self._emit(depth, f"for {', '.join(self._new(kind) for kind in targets)} in {iterable}:")
        self._loop(depth)
        del self.scope[before:]
        if self.random.random() < 0.2:
            self._emit(depth, "else:")
            self._body(depth)

    def _loop(self, depth: int) -> None:
        self.loops += 1
        self._block(depth + 1, self.random.randint(1, 3))
        if self.random.random() < 0.4:
            self._emit(depth + 1, f"if {self._expression('bool')}: {self.random.choice(['break', 'continue'])}")
        self._emit(depth + 1, "pass")
        self.loops -= 1

    def _while(self, depth: int) -> None:
        before = len(self.scope)
        counter = self._new("count")
        self._emit(depth, f"{counter} = {self.random.randint(1, 4)}")
        self._emit(depth, f"while {counter} > 0:")
        self._emit(depth + 1, f"{counter} -= 1")
        self._loop(depth)
        del self.scope[before:]

    def _try(self, depth: int) -> None:
        self._emit(depth, "try:")
        self._body(depth)
        handlers = self.random.randint(0, 2)
        for _ in range(handlers):
            kind = self.random.choice(["ZeroDivisionError", "(IndexError, KeyError)", "LookupError", "ValueError", "Refused", "Exception",
                                       "AttributeError", "TypeError"])
            name = self._new("error")
            self._emit(depth, f"except {kind} as {name}:")
            self._emit(depth + 1, f"LOG.append((type({name}).__name__, str({name})))")
            self._block(depth + 1, self.random.randint(0, 2))
            if self.random.random() < 0.2:
                self._emit(depth + 1, self.random.choice(["raise", f"raise Refused({self._expression('str')})",
                                                          f"raise Refused({self._expression('str')}) from {name}"]))
            self.scope.remove((name, "error"))
        if handlers and self.random.random() < 0.3:
            self._emit(depth, "else:")
            self._body(depth)
        if not handlers or self.random.random() < 0.4:
            self._emit(depth, "finally:")
            self._emit(depth + 1, "LOG.append('finally')")
            self._block(depth + 1, self.random.randint(0, 2))

    def _with(self, depth: int) -> None:
        before = len(self.scope)
        self._emit(depth, f"with Guarding({self.random.choice(['True', 'False'])}) as {self._new('bool')}:")
        self._body(depth)
        del self.scope[before:]

    def _raise(self, depth: int) -> None:
        self._emit(depth, f"if {self._expression('bool')}: raise {self.random.choice(['Refused', 'KeyError', 'IndexError'])}({self._expression('str')})")

    def _return(self, depth: int) -> None:
        self._emit(depth, f"if {self._expression('bool')}: return {self._expression(self.result)}")

    def _assert(self, depth: int) -> None:
        self._emit(depth, f"assert {self._expression('bool')} or {self._expression('bool')}, {self._expression('str')}")

    def _closure(self, depth: int) -> None:
        """A function in the function, with what it sees and changes around it."""
        outer = [(n, k) for n, k in self.scope if k in ("int", "str", "list")]
        if not outer:
            return
        name, kind = self.random.choice(outer)
        self.names += 1
        inner = f"g{self.names}"
        style = self.random.choice(["nonlocal", "default", "generator", "lambda", "star"])
        e = self._expression
        if style == "nonlocal" and kind == "int" and not name.startswith("p0"):
            self._emit(depth, f"def {inner}(step):")
            self._emit(depth + 1, f"nonlocal {name}")
            self._emit(depth + 1, f"{name} += step")
            self._emit(depth + 1, f"return {name}")
            self._emit(depth, f"{self._new('int')} = {inner}(2) + {inner}(3)")
        elif style == "default":
            self._emit(depth, f"def {inner}(x, y={e('int')}, *, z={e('int')}):")
            self._emit(depth + 1, f"return x + y * z, {name}")
            self._emit(depth, f"{self._new('int')} = {inner}({e('int')}, z={e('int')})[0]")
        elif style == "generator":
            self._emit(depth, f"def {inner}(n):")
            self._emit(depth + 1, "for i in range(n):")
            self._emit(depth + 2, f"got = yield i, {name}")
            self._emit(depth + 2, "LOG.append(got)")
            self._emit(depth + 1, "return n")
            self._emit(depth, f"{self._new('list')} = [pair[0] for pair in {inner}(abs({e('int')}) % 4)]")
        elif style == "lambda":
            self._emit(depth, f"{self._new('int')} = (lambda a, b=2: (a + b, {name}))({e('int')})[0]")
        elif style == "star":
            self._emit(depth, f"def {inner}(first, *rest, key=0, **more):")
            self._emit(depth + 1, "return first + sum(rest) + key + len(more)")
            self._emit(depth, f"{self._new('int')} = {inner}({e('int')}, *{e('tuple')}, key={e('int')}, **{e('dict')})"
                       if self.random.random() < 0.5 else f"{self._new('int')} = {inner}({e('int')}, {e('int')}, key={e('int')}, other=1)")

    # --- expressions ---

    def _literal(self, kind: str) -> str:
        r = self.random
        number = lambda: str(r.choice([0, 1, 2, 3, -1, 5, 7, 10, -4]))  # noqa: E731
        word = lambda: repr(r.choice(["", "a", "b", "xyz", "Long one", "k"]))  # noqa: E731
        return {"int": number, "count": number, "str": word, "bool": lambda: str(r.random() < 0.5), "float": lambda: r.choice(["0.5", "-1.25", "3.0"]),
                "list": lambda: f"[{', '.join(number() for _ in range(r.randint(0, 4)))}]",
                "tuple": lambda: f"({''.join(number() + ', ' for _ in range(r.randint(1, 3)))})",
                "dict": lambda: "{" + ", ".join(f"{k}: {number()}" for k in {word() for _ in range(r.randint(0, 3))}) + "}" if r.random() < 0.8 else "dict(k=1)",
                "set": lambda: f"{{{', '.join(number() for _ in range(r.randint(1, 3)))}}}",
                "box": lambda: f"{r.choice(['Box', 'Lid'])}({number()})"}[kind]()

    def _expression(self, kind: str, depth: int = 0) -> str:
        if self.breaks and self.random.random() < self.breaks / 2:
            return f"{self.random.choice(('pause', 'touch'))}({self._expression(kind, depth + 1)})"
        known = self._known(kind)
        roll = self.random.random()
        if known and roll < 0.45:
            return self.random.choice(known)
        if depth >= MOST_EXPRESSION or roll < 0.55:
            return self._literal(kind)
        calls = [(name, kinds) for name, kinds, result in self.functions if result == kind]
        if calls and roll < 0.65 and depth == 0:
            name, kinds = self.random.choice(calls)
            return f"{name}({', '.join(self._expression(k, depth + 1) for k in kinds)})"
        e: Callable[[str], str] = lambda k: self._expression(k, depth + 1)  # noqa: E731
        return self.random.choice(self._forms(kind))(e)


_SIMPLE = [Program._assign, Program._assign, Program._augment, Program._mutate, Program._mutate, Program._unpack, Program._raise, Program._return,
           Program._assert]
_COMPOUND = [Program._if, Program._if, Program._for, Program._for, Program._while, Program._try, Program._try, Program._with, Program._closure]

_EXPRESSIONS: dict[str, list[Callable[[Callable[[str], str]], str]]] = {
    "int": [lambda e: f"({e('int')} + {e('int')})", lambda e: f"({e('int')} - {e('int')})", lambda e: f"({e('int')} * {e('int')} % 101)",
            lambda e: f"({e('int')} // {e('int')})", lambda e: f"({e('int')} % {e('int')})", lambda e: f"-{e('int')}", lambda e: f"~{e('int')}",
            lambda e: f"len({e('list')})", lambda e: f"len({e('str')})", lambda e: f"sum({e('list')})", lambda e: f"max({e('int')}, {e('int')})",
            lambda e: f"min({e('tuple')})", lambda e: f"{e('list')}[{e('int')}]", lambda e: f"{e('tuple')}[0]", lambda e: f"{e('dict')}[{e('str')}]",
            lambda e: f"{e('dict')}.get({e('str')}, {e('int')})", lambda e: f"{e('box')}.size", lambda e: f"{e('box')}.area",
            lambda e: f"({e('int')} if {e('bool')} else {e('int')})", lambda e: f"int({e('bool')})", lambda e: f"abs({e('int')})",
            lambda e: f"({e('int')} & {e('int')})", lambda e: f"{e('list')}.count({e('int')})", lambda e: f"{e('str')}.find({e('str')})",
            lambda e: f"round({e('float')})", lambda e: f"{e('box')}[{e('int')}]", lambda e: "LIMIT", lambda e: f"TABLE.get({e('str')}, 0)",
            lambda e: f"divmod({e('int')}, {e('int')})[1]", lambda e: f"next(iter({e('list')}), -9)", lambda e: f"getattr({e('box')}, 'size')",
            lambda e: f"sum(x * 2 for x in {e('list')})", lambda e: f"{e('list')}.index({e('int')})", lambda e: f"{e('box')}.grow({e('int')}).size",
            lambda e: f"int({e('str')} or '4')", lambda e: f"({e('int')} or {e('int')})", lambda e: f"pow({e('int')}, 2)", lambda e: f"hash({e('int')})"],
    "str": [lambda e: f"({e('str')} + {e('str')})", lambda e: f"str({e('int')})", lambda e: f"(lambda i, j: f'{{i}}-{{j:>3}}{{i!r}}')({e('int')}, {e('str')})", lambda e: f"{e('str')}.upper()",
            lambda e: f"{e('str')}[::-1]", lambda e: f"{e('str')}[{e('int')}:]", lambda e: f"repr({e('tuple')})", lambda e: f"'%s:%d' % ({e('str')}, {e('int')})",
            lambda e: f"', '.join(str(x) for x in {e('list')})", lambda e: f"{e('box')}.tag", lambda e: f"{e('str')}.replace('a', 'z')",
            lambda e: f"type({e('int')}).__name__", lambda e: f"{e('box')}.kind", lambda e: f"str({e('list')})", lambda e: f"'{{}}/{{}}'.format({e('int')}, {e('str')})",
            lambda e: f"({e('str')} * 2)", lambda e: f"{e('str')}.strip('a')", lambda e: f"repr({e('str')})", lambda e: f"{e('str')}[0]", lambda e: f"chr(97 + {e('int')} % 26)"],
    "bool": [lambda e: f"({e('int')} < {e('int')})", lambda e: f"({e('int')} == {e('int')})", lambda e: f"not {e('bool')}", lambda e: f"({e('bool')} and {e('bool')})",
             lambda e: f"({e('bool')} or {e('bool')})", lambda e: f"({e('int')} in {e('list')})", lambda e: f"({e('str')} in {e('dict')})", lambda e: f"bool({e('list')})",
             lambda e: f"isinstance({e('box')}, Lid)", lambda e: f"(1 < {e('int')} <= 5)", lambda e: f"({e('str')} != {e('str')})", lambda e: f"any({e('list')})",
             lambda e: f"all(x > 0 for x in {e('tuple')})", lambda e: f"({e('list')} == {e('list')})", lambda e: f"hasattr({e('box')}, 'tag')", lambda e: f"{e('str')}.startswith('a')",
             lambda e: f"({e('tuple')} < {e('tuple')})", lambda e: f"({e('box')} == {e('box')})", lambda e: f"({e('int')} not in {e('set')})", lambda e: f"bool({e('box')})",
             lambda e: f"callable({e('int')})", lambda e: f"({e('float')} >= {e('int')})"],
    "float": [lambda e: f"({e('float')} + {e('int')})", lambda e: f"({e('float')} * {e('float')})", lambda e: f"({e('int')} / {e('int')})", lambda e: f"float({e('int')})",
              lambda e: f"max({e('float')}, 0.25)", lambda e: f"abs({e('float')})", lambda e: f"({e('int')} * 0.5)"],
    "list": [lambda e: f"[{e('int')}, {e('int')}]", lambda e: f"list({e('tuple')})", lambda e: f"[x + 1 for x in {e('list')}]", lambda e: f"sorted({e('list')})",
             lambda e: f"({e('list')} + {e('list')})", lambda e: f"{e('list')}[1:]", lambda e: f"[x for x in {e('list')} if x > {e('int')}]", lambda e: f"list(range({e('int')} % 4))",
             lambda e: f"list(map(lambda x: x * 2, {e('list')}))", lambda e: f"sorted({e('set')})", lambda e: f"[*{e('tuple')}, {e('int')}]", lambda e: f"{e('list')}.copy()",
             lambda e: f"list({e('dict')}.values())", lambda e: f"[len(w) for w in {e('str')}.split()]", lambda e: f"sorted({e('list')}, key=lambda x: -x)",
             lambda e: f"list(filter(None, {e('list')}))", lambda e: f"[a * b for a in {e('list')}[:3] for b in {e('tuple')}]", lambda e: f"list({e('box')})",
             lambda e: f"list(zip({e('list')}, {e('tuple')}))[0:0]", lambda e: f"({e('list')} * 2)[:5]", lambda e: f"{e('list')}[::-1]"],
    "tuple": [lambda e: f"({e('int')}, {e('int')})", lambda e: f"tuple({e('list')})", lambda e: f"({e('tuple')} + {e('tuple')})[:4]", lambda e: f"divmod({e('int')}, 3)",
              lambda e: f"(*{e('list')}, {e('int')})", lambda e: f"{e('tuple')}[::-1]"],
    "dict": [lambda e: f"{{{e('str')}: {e('int')}}}", lambda e: f"{{**{e('dict')}, 'z': {e('int')}}}", lambda e: f"{{str(x): x for x in {e('list')}}}", lambda e: f"dict({e('dict')}, q={e('int')})",
             lambda e: f"({e('dict')} | {e('dict')})", lambda e: f"dict(zip('ab', {e('list')}))", lambda e: f"{e('dict')}.copy()", lambda e: f"dict.fromkeys('xy', {e('int')})"],
    "set": [lambda e: f"set({e('list')})", lambda e: f"({e('set')} | {e('set')})", lambda e: f"{{x % 3 for x in {e('list')}}}", lambda e: f"({e('set')} & {e('set')})",
            lambda e: f"({e('set')} - {{{e('int')}}})"],
    "box": [lambda e: f"Box({e('int')})", lambda e: f"Lid({e('int')}, tag={e('str')})", lambda e: f"({e('box')} + {e('int')})", lambda e: f"{e('box')}.grow()",
            lambda e: f"({e('box')} if {e('bool')} else {e('box')})"],
}
