"""Iterators of itertools and builtins that polyfills stand for: their types, what they do at once, and that they leave the frame as themselves."""
import itertools
import types

import pytest

import framegate

MAKERS = {
    "filter": lambda xs: filter(None, xs),
    "takewhile": lambda xs: itertools.takewhile(bool, xs),
    "dropwhile": lambda xs: itertools.dropwhile(bool, xs),
    "chain": lambda xs: itertools.chain(xs, xs),
    "from_iterable": lambda xs: itertools.chain.from_iterable([xs]),
    "islice": lambda xs: itertools.islice(xs, 1, 3),
    "count": lambda xs: itertools.count(3, 2),
    "cycle": lambda xs: itertools.cycle(xs),
    "repeat": lambda xs: itertools.repeat(xs, 3),
    "repeat_forever": lambda xs: itertools.repeat(xs),
    "accumulate": lambda xs: itertools.accumulate(xs),
    "compress": lambda xs: itertools.compress(xs, [1, 0, 1]),
    "filterfalse": lambda xs: itertools.filterfalse(None, xs),
    "pairwise": lambda xs: itertools.pairwise(xs),
    "starmap": lambda xs: itertools.starmap(pow, [(2, 3), (3, 2)]),
    "permutations": lambda xs: itertools.permutations(xs, 2),
    "combinations": lambda xs: itertools.combinations(xs, 2),
    "with_replacement": lambda xs: itertools.combinations_with_replacement(xs, 2),
    "groupby": lambda xs: itertools.groupby(xs),
    "reversed": lambda xs: reversed(xs),
    "str": lambda xs: iter("ab"),
    "bytes": lambda xs: iter(b"ab"),
}
KEEP_STATE = {"filter", "takewhile", "count", "repeat", "repeat_forever", "compress", "starmap", "reversed", "str", "bytes"}


def compiled(fn, **options):
    return framegate.compile(fn, backend="eager", **options)


@pytest.fixture(autouse=True)
def always():
    with framegate.config.patch(graphless="always"):
        yield


def shown(iterator):
    items = list(itertools.islice(iterator, 5))
    return type(iterator), [(k, list(g)) for k, g in items] if type(iterator) is itertools.groupby else items


@pytest.mark.parametrize("name", MAKERS)
def test_fresh_ones(name):
    make = MAKERS[name]

    def f(xs):
        return make(xs)

    assert shown(compiled(f)([1, 2, 0, 3])) == shown(f([1, 2, 0, 3]))


@pytest.mark.parametrize("name", sorted(KEEP_STATE))
def test_begun_ones(name):
    make = MAKERS[name]

    def f(xs):
        iterator = make(xs)
        return next(iterator), iterator

    for (first, iterator), (other, eager) in zip([compiled(f)([1, 2, 0, 3])], [f([1, 2, 0, 3])]):
        assert first == other and shown(iterator) == shown(eager)


@pytest.mark.parametrize("name", MAKERS)
def test_what_they_are_in_the_frame(name):
    make = MAKERS[name]

    def f(xs):
        made = make(xs)
        return isinstance(made, types.GeneratorType), hasattr(made, "send"), hasattr(made, "__next__"), iter(made) is made

    assert compiled(f)([1, 2, 3]) == f([1, 2, 3])


def test_iterators_are_taken_at_once():
    def f():
        class Source:
            def __iter__(self):
                log.append("iter")
                return iter([1, 2])

        log = []
        made = [itertools.takewhile(bool, Source()), filter(None, Source()), itertools.compress(Source(), Source())]
        log.append("made")
        return log, [list(one) for one in made]

    assert compiled(f, fullgraph=True)() == f()


@pytest.mark.parametrize("name", sorted(MAKERS.keys() - {"count", "repeat", "repeat_forever", "starmap", "chain", "from_iterable", "str", "bytes"}))
def test_errors_are_raised_at_once(name):
    make = MAKERS[name]

    def f(xs):
        try:
            make(xs)
        except TypeError as error:
            return error.args

    assert compiled(f)(5) == f(5)
