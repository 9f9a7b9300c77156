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
    v1 = Lid(p0, tag='b')
    def g2(first, *rest, key=0, **more):
        return first + sum(rest) + key + len(more)
    v3 = g2(7, *(3, 7, ), key=v3, **dict({'k': 2, 'Long one': 0}, q=round(float(p0))))
    v4 = 3
    while v4 > 0:
        v4 -= 1
        try:
            assert bool(sorted(sorted({1, 3, -1}), key=lambda x: -x)) or True, 'a'
            for v5 in list({type(-4).__name__: v1.size}.values())[:4]:
                TABLE[''[-1:][::-1]] = (v3 if (v3 == round(-1.25)) else p0)
                if ('xyz' in {'': 2}): continue
                pass
            if True:
                if True: raise Refused('b')
                pass
            elif [-1, 1]:
                if True: raise Refused('Long one')
                v6, *v7 = [7, *[x + 1 for x in [a * b for a in [][:3] for b in (1, 10, 1, )[::-1]]]]
                pass
            else:
                v3 = 7
                v8 = 3.0
                pass
            pass
        except AttributeError as v9:
            LOG.append((type(v9).__name__, str(v9)))
            v10 = 'a'
            (v11, [v12, v13]) = (v1[[].index(p0)], (2, 'n'))
        except ZeroDivisionError as v14:
            LOG.append((type(v14).__name__, str(v14)))
            if False:
                if all(x > 0 for x in (-1, 2, 0, )): return False
                v3, p0 = p0, v3
                pass
            v15 = True
            raise Refused('Long one')
        pass
    return bool(v1)

def f1(p0, p1, p2):
    if False: raise KeyError('xyz'.replace('a', 'z').upper())
    assert f0(p1) or any(list(zip([x + 1 for x in [10, 10, 5, 5]], (-1, 5, )))[0:0]), 'k'
    if False: return ((-1.25 + p1) * 3.0)
    with Guarding(False) as v16:
        v17 = 'b'
        assert v16 or all(x > 0 for x in (1, 1, )), v17
        try:
            if False: return (3.0 * ((3.0 + p1) + p1))
            for v18 in [0][:4]:
                assert (p0 < p0) or v16, v17
                v18 = (v18 * p1) % 9973
                v19 = type(divmod(v18, 10)[1]).__name__.strip('a')
                if bool([1, 2]): continue
                pass
            pass
        except (IndexError, KeyError) as v20:
            LOG.append((type(v20).__name__, str(v20)))
            if (', '.join(str(x) for x in [10, 5, 5, 7]) in dict(zip('ab', [2, 3, 7, -1]))): return abs(abs(-1.25))
            def g21(x, y=p1, *, z=(p0 // ~p0)):
                return x + y * z, v17
            v22 = g21(v17.find('{}/{}'.format(v22, v17)), z=7)[0]
        except Exception as v23:
            LOG.append((type(v23).__name__, str(v23)))
            if v16:
                if v16: raise IndexError('{}/{}'.format((v17.find('a') + 10), 'xyz'))
                assert v16 or v16, v17
                v24 = (*[x + 1 for x in [7, 3, 2, -1]], list(range(p0 % 4)).index(dict(k=1)[v17]))
                pass
            else:
                v25 = {'k': 1, 'xyz': 2}
                pass
            if v16:
                v26 = 1
                pass
        finally:
            LOG.append('finally')
        pass
    if (p1 in []): raise KeyError(('xyz' * 2))
    if f0(p1):
        for v27 in list(dict.fromkeys('xy', pow(p1, 2)).copy().values())[:4]:
            if True: return -1.25
            v28 = 3
            while v28 > 0:
                v28 -= 1
                v29 = ''
                if (v27 in [1]): continue
                pass
            if all(x > 0 for x in (*[x for x in [-4, 5] if x > 3], len(''))): continue
            pass
        else:
            try:
                TABLE[str((p0 + (p1 // 3)))] = p0
                if True: raise Refused('b')
                pass
            except Refused as v30:
                LOG.append((type(v30).__name__, str(v30)))
                TABLE[p2.kind] = abs(([10, -1, 2, 5].count(p1) * p2.area % 101))
                if True: raise KeyError('xyz')
            if f0(1): raise KeyError('k')
            def g31(first, *rest, key=0, **more):
                return first + sum(rest) + key + len(more)
            v32 = g31([-4, 1][v32], *(10, 10, 10, ), key=[0, 3, 2][int('b' or '4')], **dict.fromkeys('xy', -1))
            pass
        for v33 in range(abs(getattr(p2, 'size')) % 5):
            if (Lid(-4) == Box(p0)): return 3.0
            for v34 in reversed((5, 3, )[:4]):
                assert f0(v33) or (max(0.5, 0.25) >= sum(x * 2 for x in [-1])), Lid(7).kind
                if False: continue
                pass
            try:
                p2 = (p2 + 1)
                pass
            finally:
                LOG.append('finally')
            if False: break
            pass
        pass
    elif f0(-4):
        v35, *v36 = [7, *[5, 1]]
        if bool(Box(p1)): raise IndexError('b')
        for v37 in range(abs(v35) % 5):
            v38 = p2
            v39 = (p1 + p0)
            TABLE['xyz'] = p1
            pass
        pass
    else:
        try:
            def g40(first, *rest, key=0, **more):
                return first + sum(rest) + key + len(more)
            v41 = g40(p0, len(p2.kind), key=1, other=1)
            for v42, v43 in sorted({str(x): x for x in (list(zip([-1], (0, 10, 10, )))[0:0] + [-1])}.items())[:3]:
                TABLE[repr(v42)] = p0
                if (False and True): continue
                pass
            with Guarding(True) as v44:
                p2.grow((v41 - v41))
                v45 = v41
                pass
            pass
        except AttributeError as v46:
            LOG.append((type(v46).__name__, str(v46)))
            try:
                v47, v48 = p0, ''
                assert not not False or isinstance(p2.grow(), Lid), v48
                pass
            finally:
                LOG.append('finally')
            def g49(x, y=p0, *, z=p0):
                return x + y * z, p0
            v50 = g49(((p0 % p0) * -v50 % 101), z={'b': -4, 'Long one': 3, 'xyz': 7}.get('xyz'.upper().strip('a'), Lid(p0, tag='').grow(p0).size))[0]
        except TypeError as v51:
            LOG.append((type(v51).__name__, str(v51)))
        else:
            assert False or ('a' in ({'a': -4} | {}).copy()), 'xyz'
            pass
        pass
    return 3.0

def f2(p0, p1, p2):
    try:
        if True: raise IndexError(chr(97 + {'k': 10}.get('', -1) % 26))
        pass
    except Exception as v52:
        LOG.append((type(v52).__name__, str(v52)))
        if False:
            v53, *v54 = [7, *[]]
            if True: raise Refused(((lambda i, j: f'{i}-{j:>3}{i!r}')(v53, 'a'.upper()) * 2))
            pass
        v55 = 1
        while v55 > 0:
            v55 -= 1
            for v56 in list({**{'Long one': 2, 'b': -4}, 'z': 10}.values()).copy()[:4]:
                v57, v58 = (Box(-4)[Lid(10)[-4]] // v56), 'a'
                pass
            else:
                v59 = p1
                if True: return -1.25
                v60 = [-4, 5, -4].index(int('b'.replace('a', 'z') or '4'))
                pass
            for v61 in list(dict(zip('ab', [3, 2, 0][::-1])).values())[:4]:
                p0 = (-4, -4, -4, )
                TABLE['b'] = ({str(x): x for x in [3, 3]}['%s:%d' % ('xyz', v61)] // (Box(1) + 10).size)
                v62 = max(3.0, 0.25)
                pass
            pass
        raise Refused(''.upper())
    v63 = p1
    if False: raise Refused('k')
    return 3.0


CALLS = [('f2', ('(7, 0, 7, )', '{2, 2}', 'Lid(3)')), ('f2', ('(5, )', '{10, 7}', 'Box(10)')), ('f2', ('(3, -4, 1, )', '{10, 1, 5}', 'Box(10)')), ('f2', ('(7, 0, 7, )', '{2, 2}', 'Lid(3)'))]
