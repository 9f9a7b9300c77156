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


def f0(p0, p1):
    try:
        v1 = 3
        while v1 > 0:
            v1 -= 1
            if p1: return {str(x): x for x in ([-1] * 2)[:5]}
            if p1: continue
            pass
        pass
    except Refused as v2:
        LOG.append((type(v2).__name__, str(v2)))
    try:
        with Guarding(True) as v3:
            if (1 < (3 + -1) <= 5):
                (v4, [v5, v6]) = (2, (2, 'n'))
                if (v5 < v5): return {**{'': 3, 'a': 7, 'k': 5}, 'z': v4}
                pass
            else:
                if False: return {**{}, 'z': 3}
                v7 = {**{Lid(3).kind: 0}, 'z': 3}
                pass
            pass
        for v8 in list({'xyz': 0, '': 0, 'b': 3}.values())[:4]:
            assert (p0 < p0) or p1, 'xyz'
            if p1: return {'xyz': 2, 'k': 7}.copy()
            if p1: continue
            pass
        pass
    except (IndexError, KeyError) as v9:
        LOG.append((type(v9).__name__, str(v9)))
    if True: return {str(x): x for x in []}
    return {**dict(zip('ab', [])), 'z': (-4 // 5)}

def f1(p0, p1):
    if False: raise IndexError('b')
    for v10, v11 in enumerate('k'[:3]):
        for v12 in range(abs(v10) % 5):
            with Guarding(False) as v13:
                v14 = (3 * 0.5)
                if any([2, 1, 3]): return v12
                TABLE[v11.upper()] = len(list(range(v12 % 4)))
                pass
            if hasattr(Box(2), 'tag'): break
            pass
        pass
    v15 = 1
    while v15 > 0:
        v15 -= 1
        TABLE[str([7, 3, 5, 10])] = 0
        for v16, v17 in enumerate(repr(divmod((7 // -4), 3))[:3]):
            v18 = (Box(7) + v16)
            (v19, [v20, v21]) = (v16, (2, 'n'))
            pass
        pass
    v22 = (3 + (hash(0) if p0 else abs(1)))
    return int(p0)

def f2(p0, p1):
    LOG.append(-1)
    try:
        if False:
            assert False or ((5 - Lid(-1)[3]) not in {10}), repr(divmod(3, 3))
            if False:
                v23, *v24 = [7, *[-1, 5, 3, 2]]
                TABLE['Long one'] = v23
                pass
            assert True or True, ', '.join(str(x) for x in sorted([10, 7, 3, 3]))
            pass
        else:
            (v25, [v26, v27]) = (([2] + [-1, 7][::-1]).count(5), (2, 'n'))
            pass
        for v28, v29 in enumerate('xyz'[:3]):
            def g30(n):
                for i in range(n):
                    got = yield i, v28
                    LOG.append(got)
                return n
            v31 = [pair[0] for pair in g30(abs(v28) % 4)]
            pass
        pass
    finally:
        LOG.append('finally')
        if True: return {'xyz': 10, '': 2}
        if True: return f0((0, 7, ), (str([]) in dict(k=1)))
    LOG.append(Lid(0).kind)
    if ('%s:%d' % ('Long one', -1) != 'b'):
        if True: return f0(divmod(-1, 3), (round(p1) == 5))
        pass
    else:
        if (bool((Box(2) if True else Box(3))) and (chr(97 + 3 % 26) in {'': 3})): return dict(zip('ab', list(Lid(0, tag=''))))
        pass
    return {'b': -4}


CALLS = [('f2', ('0.5', '0.5')), ('f2', ('-1.25', '3.0')), ('f2', ('-1.25', '3.0')), ('f2', ('0.5', '0.5'))]
