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


def f0(p0):
    p0 |= p0
    with Guarding(True) as v1:
        pass
    v2 = 1
    while v2 > 0:
        v2 -= 1
        p0 |= p0
        pass
    return ((set([]) - {len('a')}) - {-1})

def f1(p0, p1, p2):
    if False: raise Refused(chr(97 + p2 % 26))
    if False:
        if True:
            pass
        else:
            try:
                v3 = 2
                p0 |= p0
                pass
            except Exception as v4:
                LOG.append((type(v4).__name__, str(v4)))
                v5 = (v6 := 10) > 2
                raise
            except ZeroDivisionError as v7:
                LOG.append((type(v7).__name__, str(v7)))
                TABLE['{}/{}'.format(p2, type(p2).__name__)] = p1
                if False: return 0.5
            (v8, [v9, v10]) = (p2, (2, 'n'))
            pass
        p0.discard([5, 1].count(p1))
        pass
    p2 >>= abs(1) % 5
    v11, *v12 = [7, *[p2, sum(([2, -4] * 2)[:5])]]
    def g13(step):
        nonlocal p2
        p2 += step
        return p2
    v14 = g13(2) + g13(3)
    v15 = p0
    if ('a' in {'Long one': 7, 'b': 2}): raise Refused(type(hash(Box(-4).grow(p1).size)).__name__)
    return (p1 * 0.5)

def f2(p0):
    LOG.append(p0)
    LOG.append(p0)
    p0 = -4
    try:
        with Guarding(True) as v16:
            assert False or False, ', '.join(str(x) for x in [x for x in ([10, 5, 1] + [1, 3, -1]) if x > sum([2, -1])])
            if (v16 and v16): return p0
            pass
        with Guarding(False) as v17:
            v18 = 2
            while v18 > 0:
                v18 -= 1
                v19, v20 = (p0 - p0), 'Long one'
                LOG.append(p0)
                pass
            pass
        pass
    except Refused as v21:
        LOG.append((type(v21).__name__, str(v21)))
    else:
        v22 = 3
        while v22 > 0:
            v22 -= 1
            LOG.append((Box(2) + p0))
            assert callable(p0) or False, ''
            pass
        pass
    finally:
        LOG.append('finally')
        v23 = 3
        while v23 > 0:
            v23 -= 1
            with Guarding(True) as v24:
                p0 ^= p0
                pass
            if True:
                assert isinstance(Box(-1), Lid) or True, 'a'
                assert False or False, 'xyz'
                pass
            pass
        if bool([7]):
            v25 = p0
            p0 = round(abs(max(-1.25, 0.25)))
            pass
        elif (5, -4, ):
            if False: return p0
            v26 = [-1, -4, 3]
            pass
        else:
            p0 ^= p0
            pass
    for v27 in range(abs(p0) % 5):
        with Guarding(True) as v28:
            for v29 in reversed(divmod(p0, 3)[:4]):
                assert ((-4, 0, 3, ) < (2, )) or (v28 and callable(v29)), ('xyz' * 2)
                pass
            with Guarding(True) as v30:
                assert v30 or v28, '%s:%d' % (repr((10, 10, 7, )), v27)
                v31 = f1({5}, v27, len(''))
                if v28: return sum(x * 2 for x in [-1, 10, 10, 10])
                pass
            LOG.append('')
            pass
        pass
    else:
        try:
            for v32, v33 in enumerate(repr((2, ))[:3]):
                assert True or callable(1), '%s:%d' % ('xyz', p0)
                v34 = divmod(p0, 3)
                if True: raise KeyError(v33)
                pass
            else:
                v35 = True
                pass
            for v36 in [-1, 0, -1][:4]:
                v37 = {3}
                pass
            pass
        except ValueError as v38:
            LOG.append((type(v38).__name__, str(v38)))
            v39 = 1
            while v39 > 0:
                v39 -= 1
                if (Box(0) == Box(-1).grow()): raise KeyError('Long one')
                p0 = (p0 * p0) % 9973
                pass
        else:
            if False: return p0
            v40, v41 = p0, '{}/{}'.format(divmod(p0, p0)[1], '')
            if True:
                if False: raise Refused(v41)
                v42 = (2, -4, )
                pass
            pass
        pass
    p0 ^= p0
    return p0


CALLS = [('f2', ('0',)), ('f2', ('2',)), ('f2', ('0',)), ('f2', ('0',))]
