"""Typical wrong answers to the exercises, and what the check must say about them."""

WRONG_ANSWERS = {
    ("00_start_here", 1): {
        "def notices_order(layer, x): return order_effect(layer, x, order).max() > 1e-9": "only `order`",
        "def notices_order(layer, x): return order_effect(layer, x, [4, 3, 2, 1, 0]).max() > 1e-9": (
            "neighbours stay neighbours"
        ),
        "def notices_order(layer, x): return any(order_effect(layer, x, p).max() > 0 for p in orders)": (
            "rounding errors"
        ),
        "def notices_order(layer, x): return max(order_effect(layer, x, p).max() for p in orders)": (
            "not the size"
        ),
        "def notices_order(layer, x): return all(order_effect(layer, x, p).max() > 1e-9 for p in orders)": (
            "*some* order"
        ),
        "def notices_order(layer, x): return order_effect(layer, x, order)": "it should give one",
        "def notices_order(layer, x): return missing": "NameError",
        "def notices_order(layer, x): return max(order_effect(layer, x, p).max() for p in orders) > 1": (
            "it should be True"
        ),
        "def notices_order(layer, x):\n"
        "    return max(order_effect(layer, five, p).max() for p in orders) > 1e-9": "it should be False",
    },
    ("00_start_here", 2): {
        "def add_positions(x, seen): return x + sinusoidal(len(x), x.shape[1])": "values differ",
        "def add_positions(x, seen):\n    return x + sinusoidal(np.arange(seen, seen + len(x)) + 1, 16)": (
            "one position too far"
        ),
        "def add_positions(x, seen): return x + sinusoidal([seen], x.shape[1])": "each needs its own",
        "def add_positions(x, seen): return x": "values differ",
        "def add_positions(x, seen): return x + sinusoidal([seen], 4)": "stops with ValueError",
    },
    ("01_formula", 1): {
        "def encode(p, d): return sinusoidal([p], d, layout='half')[0]": "All sines come first",
        "def encode(p, d): return sinusoidal([p], d, base=1e8)[0]": "2·i where i already",
        "def encode(p, d): return sinusoidal([p + np.pi / 2], d)[0]": "should be",
        "def encode(p, d): return sinusoidal([p], d)": "has shape (1, 4); it should be (4,)",
    },
    ("01_formula", 2): {
        "def read_position(row): return np.argmax(sinusoidal(1000, 8)[:, 6:] @ row[6:])": "too coarse",
        "def read_position(row): return np.argmax(sinusoidal(1000, 8)[:, :2] @ row[:2])": "every 6.28",
        "def read_position(row): return np.argmax(sinusoidal(1000, 8)[:, ::2] @ row[::2])": "sines only",
        "def read_position(row): return 437": "should be 0",
    },
    ("02_angle_rates", 1): {
        "def smallest_base(c, d, bases): return [b for b in bases if cosines(c, d, b)[-1] >= 0][0]": (
            "the farthest k only"
        ),
        "def smallest_base(c, d, bases): return max(b for b in bases if cosines(c, d, b).min() >= 0)": (
            "the largest"
        ),
        "def smallest_base(c, d, bases):\n bases = list(bases)\n"
        " while cosines(c, d, bases[-1]).min() >= 0: found = bases.pop()\n return found": "from above",
        "def smallest_base(c, d, bases): return 10_000": "is 10000; it should be 500000",
    },
    ("02_angle_rates", 2): {
        "def longer_base(base, factor, d): return base * factor": "not 1/base",
        "def longer_base(base, factor, d): return base * factor ** ((d - 2) / d)": "upside down",
        "def longer_base(base, factor, d): return base / factor ** (d / (d - 2))": "must grow",
        "def longer_base(base, factor, d): return 10_000": "should be",
    },
    ("03_heatmaps", 1): {
        "def to_interleaved(half): return half": "still in the old order",
        "def to_interleaved(half): return half[:, layout_permutation(half.shape[1])]": "you need its inverse",
        "def to_interleaved(half):\n d = half.shape[1]\n"
        " return half[:, np.arange(d).reshape(2, -1)[::-1].T.ravel()]": "Cosines come first",
    },
    ("03_heatmaps", 2): {
        "def busy(d, steps, base): return (angle_rates(d, base=base) * steps >= 2 * np.pi).sum()": (
            "every pair has two dimensions"
        ),
        "def busy(d, steps, base): return 2 * (angle_rates(d, base=base) * steps >= 1).sum()": (
            "after 2π radians"
        ),
        "def busy(d, steps, base): return 90": "is 90; it should be 180",
    },
    ("04_similarity", 1): {
        "def distance(k, d): return d - 2 * np.cos(k * angle_rates(d)).sum()": "squared distance",
        "def distance(k, d): return np.sqrt(d - np.cos(k * angle_rates(d)).sum())": "*twice*",
        "def distance(k, d): return np.sqrt(d - 2 * similarity(k, d))": "dot product itself",
        "def distance(k, d): return k": "should be 3.26688",
    },
    ("04_similarity", 2): {
        "def whole_turn(d, base): return np.pi * d / np.log(base)": "two rates themselves",
        "def whole_turn(d, base): return turn_after(d, base) / 2": "half a turn",
        "def whole_turn(d, base): return turn_after(d, 1e4)": "base is ignored",
        "def whole_turn(d, base): return turn_after(2 * d, base)": "half as many",
        "def whole_turn(d, base): return 100": "should be 90.4994",
    },
    ("05_shift_matrices", 1): {
        "def steps_between(p, q): return np.arccos(np.clip(p[:2] @ q[:2], -1, 1))": "arc cosine",
        "def steps_between(p, q): return -np.arctan2(q[0]*p[1]-q[1]*p[0], q[1]*p[1]+q[0]*p[0])": "The sign",
        "def steps_between(p, q): return np.arctan2(*q[:2]) - np.arctan2(*p[:2])": "wrap around",
    },
    ("05_shift_matrices", 2): {
        "def half_a_step_on(rows): return (rows + rows @ shift_matrix(1, rows.shape[1])) / 2": "be 0.479",
        "def half_a_step_on(rows): m = middle(rows); return m * np.sqrt(rows[0] @ rows[0] / (m[0] @ m[0]))": (
            "fast hands"
        ),
        "def half_a_step_on(rows): return rows @ shift_matrix(-1 / 2, rows.shape[1])": "half a step back",
        "def half_a_step_on(rows): return (rows[1:] + rows[:-1]) / 2": "has shape (19, 32)",
    },
    ("06_embedding_layers", 1): {
        "def mean_of_words(x, ids): return x.mean(axis=1)": "Padding is in your average",
        "def mean_of_words(x, ids): return (x * (ids > 0)[..., None]).mean(axis=1)": "still divide by L",
        "def mean_of_words(x, ids): return (x * (ids > 0)[..., None]).sum(axis=1) / (ids > 0).sum()": (
            "the words of all texts"
        ),
        "def mean_of_words(x, ids): return x[ids > 0].mean(axis=0)": "has shape (4,); it should be (3, 4)",
    },
    ("06_embedding_layers", 2): {
        "def embed_next(new, words, rows, before): return words[new] + rows[before]": "the same position",
        "def embed_next(new, words, rows, before): return words[new] + rows[before + 1 :][: len(new)]": (
            "One too far"
        ),
        "def embed_next(new, words, rows, before): return words[new] + rows[new]": "values differ",
    },
    ("07_words_and_positions", 1): {
        "def ratio_for(s, m, p): return (1 - s) / s * variance(p) / variance(m)": "take a root",
        "def ratio_for(s, m, p): return (s / (1 - s) * variance(m) / variance(p)) ** 0.5": "Upside down",
        "def ratio_for(s, m, p): return (variance(p) / variance(m)) ** 0.5": "for one half only",
        "def ratio_for(s, m, p): return (variance(p) / variance(m) / s) ** 0.5": "multiply by 1 - share",
        "def ratio_for(s, m, p): return ((1 - s) / s) ** 0.5 * np.linalg.norm(p) / np.linalg.norm(m)": (
            "centre them first"
        ),
    },
    ("07_words_and_positions", 2): {
        "def shortest_text(s, d): return shortest(s, d) - 1": "one position more",
        "def shortest_text(s, d): return shortest(s / 2, d)": "twice the variance",
        "def shortest_text(s, d): return 1 + int((sinusoidal(1, d) ** 2).sum() < s)": "centre them",
        "def shortest_text(s, d): return 2 * shortest(s, d)": "it should be",
    },
    ("08_rotary", 1): {
        "def score(q, k, m, n): return q @ apply_rotary(k[None], [m - n])[0]": "rotates the other way",
        "def score(q, k, m, n): return q @ k": "nothing is rotated",
        "def score(q, k, m, n): return apply_rotary(k[None], [n - m])[0]": "it should give one",
        "def score(q, k, m, n): return q @ shift_matrix(n - m, len(q), layout='half') @ k": "it should be",
    },
    ("08_rotary", 2): {
        "def key_for(q, distance): return apply_rotary(q[None], [-distance])[0]": "after the query",
        "def key_for(q, distance): return q": "aligned at distance 0",
        "def key_for(q, distance): return 2 * apply_rotary(q[None], [distance])[0]": "it should be",
        "def key_for(q, distance): return apply_rotary(q[None], [distance])": "it should be (8,)",
    },
    ("09_relative_bias", 1): {
        "def t5_bias(numbers, length): return gathered(numbers, length)": "bidirectional=False",
        "def t5_bias(numbers, length): return gathered(numbers, length, 1, bidirectional=False)": (
            "taken for one ahead"
        ),
        "t5_bias = lambda n, length: gathered(n, length, bidirectional=False).swapaxes(1, 2)": (
            "taken for one ahead"
        ),
        "def t5_bias(n, length): return n[t5_bucket(np.subtract.outer(*[np.arange(length)] * 2))]": (
            "has shape (6, 6, 4); it should be (4, 6, 6)"
        ),
    },
    ("09_relative_bias", 2): {
        "def reach(slope, margin): return int(margin / slope)": "sum of all others",
        "def reach(slope, margin): return int((margin + np.log(slope)) / slope)": "Add them up",
        "def reach(slope, margin): return np.flatnonzero(weight_at(slope, margin) < 0.5)[0]": "one before",
        "def reach(slope, margin): return weight_at(slope, margin)": "it should give one",
    },
    ("10_context_extension", 1): {
        "def newcomers(o, n, L, x): return int((x * n > L * o).sum())": "leave them out",
        "def newcomers(o, n, L, x): return int((L * o < 2 * np.pi).sum())": "count those that get farther",
        "def newcomers(o, n, L, x): return int(((L * o < 1) & (x * n > L * o)).sum())": "A turn is 2π",
        "def newcomers(o, n, L, x): return int(((L * o < 2 * np.pi) & (n >= o)).sum())": (
            "at the end of the text"
        ),
        "def newcomers(o, n, L, x): return (L * o < 2 * np.pi) & (x * n > L * o)": "it should give one",
    },
    ("10_context_extension", 2): {
        "def rotate_again(k, p, o, n): return apply_rotary(k[None], [p], rates=n)[0]": "rotated by both",
        "def rotate_again(k, p, o, n): return apply_rotary(k[None], [p], rates=o - n)[0]": "The other way",
        "def rotate_again(k, p, o, n): return apply_rotary(k[None], [-p], rates=o)[0]": "does not put on",
        "def rotate_again(k, p, o, n): return k": "values differ",
    },
    ("11_length_generalisation", 1): {
        "def reach(loss, trained, margin): return last_good(loss, trained, margin)": "even if it recovers",
        "def reach(loss, trained, margin): return loss.shape[1]": "it should be (3,)",
        "def reach(loss, trained, margin): return np.full(len(loss), trained)": "values differ",
    },
    ("11_length_generalisation", 2): {
        "def sees(length, window, layers): return within(length, window)": "That is one layer",
        "def sees(length, window, layers): return within(length, layers * window + 1)": "own key",
        "def sees(length, window, layers): return within(length, layers * (window - 1))": "still seen",
        "def sees(length, window, layers): return within(length, layers * (window - 1) + 1).T": (
            "Rows are queries"
        ),
        "def sees(length, window, layers): return layers * (window - 1)": "it should be (12, 12)",
    },
    ("12_fourteen_configs", 1): {
        "def cached_share(m, n): return np.mean([min(la.window or n, n) for la in LAYERS[m]]) / n": (
            "Linear attention keeps no keys"
        ),
        "def cached_share(m, n):\n"
        " return np.mean([span_of(la, n) and (la.window or n) for la in LAYERS[m]]) / n": "only 512 keys",
        "def cached_share(m, n): return np.mean([look_of(la).startswith('sees all') or not span_of(la, n) < n"
        " for la in LAYERS[m]])": "should be",
        "def cached_share(m, n):\n"
        " return np.mean([la.window is None and la.layer_type[0] != 'l' for la in LAYERS[m]])": (
            "the layers without a window"
        ),
        "def cached_share(m, n): return sum(span_of(la, n) for la in LAYERS[m])": "the number of keys",
        "def cached_share(m, n): return [span_of(la, n) / n for la in LAYERS[m]]": "it should give one",
    },
    ("12_fourteen_configs", 2): {
        "def needed_base(d, c, b): return c ** (d / (d - 2 * b))": "A turn is 2π",
        "def needed_base(d, c, b): return (c / 2 / np.pi) ** (d / (d - 2 * (b + 1)))": "pairs count from 0",
        "def needed_base(d, c, b): return (c / 2 / np.pi) ** (d / (2 * b))": "from the slow end",
        "def needed_base(d, c, b): return (c / 2 / np.pi) ** (d / (d / 2 - b))": "i counts pairs",
        "def needed_base(d, c, b): return 500_000": "should be",
    },
    ("13_decoding", 1): {
        "def last_logits(x, window):\n at = [min(p, window) for p in range(len(x))]\n"
        " q, k = rotary(x, at)\n return q[-1] @ k[-window:].T / np.sqrt(d)": "values differ",
        "def last_logits(x, window):\n at = [min(p, window - 1) for p in range(len(x))]\n"
        " q, k = rotary(x, at)\n return q[-1] @ k[-window:].T / np.sqrt(d)": "now one smaller",
        "def last_logits(x, window):\n at = [p % window for p in range(len(x))]\n"
        " q, k = rotary(x, at)\n return q[-1] @ k[-window:].T / np.sqrt(d)": "starts again at 0",
        "def last_logits(x, window):\n q, k = rotary(x, np.arange(len(x)))\n"
        " return q[-1] @ k.T / np.sqrt(d)": "has shape",
    },
    ("13_decoding", 2): {
        "def moved(keys, by): return apply_rotary(keys, by + np.arange(len(keys)))": "rotated already",
        "def moved(keys, by): return apply_rotary(keys, np.full(len(keys), -by))": "The other way",
        "def moved(keys, by): return apply_rotary(keys, len(keys))": "the same number of positions",
        "def moved(keys, by): return keys": "should be",
    },
    ("14_two_dimensions", 1): {
        "def triples(parts): return numbered(parts, lambda d, part: sum(x.shape[1] for x in d))": (
            "not from the number of tokens"
        ),
        "def triples(parts): return numbered(parts, lambda d, part: d[-1].max())": "has one more",
        "def triples(parts): return numbered(parts, order=(0, 2, 1))": "exchanged",
        "def triples(parts): return numbered(parts, side_rule)": "A long video",
        "def triples(parts): return numbered(parts, from_start=False)": "in all three numbers",
        "def triples(parts): return numbered(parts)[0]": "it should be (3, 13)",
    },
    ("14_two_dimensions", 2): {
        "def ahead(f, r, c): return 0": "here the word may come earlier",
        "def ahead(f, r, c): return max(f - max(r, c), 0) * r * c": "the same number as the word",
        "def ahead(f, r, c): return max(f - 1 - max(r, c), 0)": "count their patches",
        "def ahead(f, r, c): return (f - 1 - max(r, c)) * r * c": "not fewer than none",
        "def ahead(f, r, c): return max(f - 1 - r, 0) * r * c": "The larger of rows and columns",
        "def ahead(f, r, c): return f * r * c": "should be",
    },
    ("15_inside_a_trained_model", 1): {
        "def surprise(logits, target): return -logits[target]": "no probability yet",
        "def surprise(x, n): return np.log(np.exp(x).sum()) - x.max()": "the likeliest token",
        "def surprise(logits, target): return logits[target] - np.log(np.exp(logits).sum())": "The sign",
        "def surprise(x, n): return np.exp(x[n]) / np.exp(x).sum()": "the probability",
    },
    ("15_inside_a_trained_model", 2): {
        "def to_previous(weights): return np.diagonal(weights, 1).mean()": "later keys",
        "def to_previous(weights): return np.diagonal(weights).mean()": "to itself",
        "def to_previous(weights): return np.diagonal(weights, -1).sum() / len(weights)": "don't count it",
        "def to_previous(weights): return np.diagonal(weights, -1)": "it should give one",
    },
}
