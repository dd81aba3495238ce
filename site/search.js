// Search over the prose of all pages and the words of the course (search.json, by tools/site_search.py). Pages
// are ranked by BM25 with the words of titles and headings counted several times.

import { element } from './live_figures/recording.js'

const [K1, B] = [1.2, 0.75] // as usual
const IN_TITLE = 12 // as often as this counts a word of the title,
const IN_HEADING = 4 // and of a heading
const PREFIX = 0.5 // what a longer word counts that begins with the word
const SAME = { // names of one thing
    rope: 'rotary', 10000: 'base', frequency: 'rate', frequencies: 'rate', sin: 'sine', cos: 'cosine', rotate: 'turn', rotated: 'turned',
    big: 'large', bigger: 'larger', imaginary: 'complex', references: 'sources',
    generate: 'write', generates: 'writes', generated: 'written', generating: 'writing', generation: 'writing',
}
const OTHERS = [ // what others say, and the course
    [/\b(rotary|rope|sinusoidal|position(?:al)?)(?:\s+|-)embeddings?\b/g, (_, kind) => `${kind === 'position' ? 'positional' : kind} encoding`],
    [/\b(?:kv|key[\s-]+value)[\s-]+cache\b/g, 'cache'],
    [/\bself[\s-]+attention\b/g, 'attention'],
    [/\b(?:inv_freq|omega)\b|(?<!\p{L})ω(?!\p{L})/gu, 'rate'],
    [/\bgpt\s?(?=\d)/g, 'gpt-'],
    [/\b2-?d\b/g, 'two dimensions'],
    [/\bablat(?:e[ds]?|ing|ions?)\b/g, 'take away'],
    [/\bprevious\s+(word|token)\b/g, 'one $1 back'],
    [/\b(?:chang|convert|transform|turn)\w*\s+((?:sentence|text|token|word)s?\s+)?(?:in)?to\s+(?:numbers|vectors)\b/g, '$1embedding'],
    [/\bsquare[\s-]+root(?:\s+of(?=\s+d\b))?/g, 'sqrt'],
    [/(?<=\b(?:can|could|do|does|did|will|would)\s+(?:an?\s+|the\s+|)|\b(?:inside|tell)\s+(?:an?\s+|the\s+))(?:ai|chat\s?bot|computer|machine)\b/g, 'model'], // that reads a text
]
const ASIDE = { sources: 0.3, exercises: 0.3 } // what a section counts that names papers, or asks,
const MISTAKE = 'A common mistake' // begins the heading of a section that stands after those that explain
const QUESTION = 'Predict.' // begins a paragraph whose answer, and what follows, waits for the reader's own
const OPTIONAL = 0.5 // and one of “Going deeper”
const EXPLAINS = 2 // what a page gains, in parts of its score, that explains the word that is asked for
const TOGETHER = 1 // and one that says several of the words in one sentence, or better in a heading, often
const ENOUGH = 5 // how often is half of that
const LAST = 'TEACHING' // for who teaches: after the pages that explain
const ENOUGH_PAGES = 3 // for a question of many words
const EVERYWHERE = 0.75 // of the pages
const PHRASE = 8 // words of a page that a link leads to,
const SHORTEST = 3 // and the least that are
const SHOWN = 3 // sections of a page, and words of the course
const SNIPPET = 220 // letters
const LONGEST = 320 // of a sentence that is shown whole
const BEGUN = 4 // letters from which on the beginning of a word of the course shows that word
const SHORT = 3 // letters: less that is found nowhere is the beginning of a word that is being typed
const PAUSE = 150 // milliseconds without a key until what was typed is looked up,
const REST = 900 // and from then until the number of pages is announced

const FEW = 3 // of these where one only types
const EXAMPLES = ['why does attention ignore order?', 'rotary', 'why 10000', 'learned positions', 'left padding']

const SMALL = new Set( // words that every page has: they count only where a question has no others
    ('a about an and are be between by can could did do does for from had has have how i if in into is it its ' +
        'me my of on or should so that the their them there they this to was we were what when where which ' +
        'who whom whose why will with would you your ' +
        'actually all am any anything as at because best better but difference doesn doesnt don dont even exactly explain ' +
        'explained find get gets give gives go goes happen happens important instead isn just know knows let like make ' +
        'makes many matter matters mean means much need needed needs no not only really s simply still t than thing ' +
        'things understand up use used uses using versus vs whats work works yes').split(' '), // and those of questions
)

/** The words of a text: small letters; 10,000 and ten thousand are 10000, and √d is sqrt d. */
export const wordsOf = text =>
    text
        .toLowerCase()
        .replace(/\bten[\s-]+thousand\b/g, '10000')
        .replace(/(\d)[,\u202f](?=\d{3})/g, '$1')
        .replace(/√/g, ' sqrt ')
        .match(/[\p{L}\p{N}]+/gu) ?? []

// A text in pieces that stand for one word each, and the space between them; e^(a − b) is one.
const piecesOf = text => text.match(/[^\s\p{L}\p{N}]*ten\s+thousand\S*|\S*?\^\([^()]*\)\S*|\d+(?:[,\u202f]\d{3})+\S*|\s+|\S+?(?=\s|$)/giu) ?? []

const isCount = word => /^\d{1,2}$/.test(word) // such numbers stand on every page

/** The words of a question that tell one page from another. */
export function chosen(query) {
    const words = [...new Set(wordsOf(query))]
    const telling = words.filter(word => !SMALL.has(word))
    const parts = query.match(/(?<=\p{L}-)\d+/gu) ?? [] // of names, as of GPT-2
    const most = telling.filter(word => !isCount(word) || parts.includes(word))
    return [most, telling, words].find(list => list.length) ?? words
}

const withSame = words => [...new Set(words.flatMap(word => [word, SAME[word] ?? word]))]

function counted(texts) {
    const counts = new Map()
    for (const [text, weight] of texts)
        for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + weight)
    return counts
}

const sizeOf = counts => [...counts.values()].reduce((sum, count) => sum + count, 0)

// Whether longer words are meant, too: 10000 is not 100000.
const isBeginning = word => word.length > 2 && !/^\d/.test(word)

// What a noun in -ation and its verb begin with: "extrapolat" of extrapolation and extrapolates.
const rootOf = word => (/^(\p{L}{4,}at)(?:ions?|e[sd]?|ing|ive)$/u.exec(word)?.[1] ?? word)

// What all forms of a word have in common: "extrapolat", "query" of queries, "ad" of add and adding.
const stems = new Map()
function stemOf(word) {
    if (!stems.has(word)) stems.set(word, stemmed(word))
    return stems.get(word)
}
function stemmed(word) {
    const one = rootOf(word).replace(/(?<=\p{L}{2})ies$/u, 'y').replace(/(?<=\p{L}{2}(?:s|x|ch|sh))es$|(?<=\p{L}{2}[^aius])s$/u, '')
    const verb = one.replace(/(?<=\p{L}*[aeiouy]\p{L}+)(?:ing|ed)$/u, '').replace(/(?<=\p{L}{3})e$/u, '')
    return verb.replace(/([^aeiou\d])\1$/u, '$1')
}

// Whether another word is meant by one that is asked for: the same, a form of it, or one that begins with it.
const isForm = (other, word) => other === word || (isBeginning(word) && stemOf(other) === stemOf(word))
const isAsked = (other, word) => isForm(other, word) || (isBeginning(word) && other.startsWith(word))

// How often a word stands in counted words; others that are meant by it count less.
function frequency(counts, word) {
    let found = counts.get(word) ?? 0
    if (isBeginning(word)) for (const [other, count] of counts) if (other !== word && isAsked(other, word)) found += (isForm(other, word) ? 1 : PREFIX) * count
    return found
}

/** In how many places two words differ: letters changed, left out, added, or exchanged with their neighbour. */
export function differences(one, other) {
    const rows = [Array.from({ length: other.length + 1 }, (_, j) => j)]
    for (let i = 1; i <= one.length; i++) {
        rows[i] = [i]
        for (let j = 1; j <= other.length; j++) {
            const changed = rows[i - 1][j - 1] + (one[i - 1] !== other[j - 1])
            rows[i][j] = Math.min(changed, rows[i - 1][j] + 1, rows[i][j - 1] + 1)
            if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
                rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1)
        }
    }
    return rows.at(-1).at(-1)
}

/**
 * What a question means where it has words that stand nowhere: each becomes the nearest that does, of several one
 * that the glossary has, or a title or heading, else the most frequent, if it is a misspelling at all. "rotery" is
 * "rotary", and "maks" no "makes", but "mask".
 * @param {{pages: any[], words: any[]}} index  search.json
 */
export function mended(index, query) {
    const headings = index.pages.flatMap(({ title, sections }) => [title, ...sections.map(([, heading]) => heading)])
    const explained = index.words.flatMap(word => word.forms)
    const named = [...headings, ...explained]
    const texts = index.pages.flatMap(({ sections }) => sections.flatMap(([, , own, , other]) => [...own, ...other]))
    const counts = counted([...named, ...texts].map(text => [text, 1]))
    const ranks = new Map([...headings.flatMap(wordsOf).map(word => [word, 1]), ...explained.flatMap(wordsOf).map(word => [word, 2])])
    const isSaid = word => counts.has(word) || (isBeginning(word) && [...counts.keys()].some(other => other.startsWith(rootOf(word))))
    const isKnown = word => SMALL.has(word) || word in SAME || isSaid(word)
    let meant = query.toLowerCase()
    for (const word of wordsOf(query).filter(word => word.length > 3 && !/\d/.test(word) && !isKnown(word))) {
        const allowed = word.length > 7 ? 2 : 1
        const isNear = other => other[0] === word[0] && other.length > 3 // who misspells a word begins it rightly
        const near = [...counts].filter(([other]) => isNear(other) && Math.abs(other.length - word.length) <= allowed)
        const found = near.map(([other, count]) => ({ other, count, by: differences(word, other), rank: ranks.get(other) ?? 0 }))
        const [best] = found
            .filter(({ by }) => by <= allowed)
            .sort((a, b) => a.by - b.by || b.rank - a.rank || b.count - a.count)
        if (best) meant = meant.replace(word, best.other)
    }
    return meant === query.toLowerCase() ? query : meant
}

/**
 * A question in the course's own words: "rotary embeddings" are its rotary encoding, and another name of a word, of
 * which no page says any part, is that word.
 * @param {{words: any[]}} index  search.json
 * @param {Set<string>} said  the words of its pages
 */
export function asHere({ words }, query, said) {
    const named = OTHERS.reduce((text, [theirs, ours]) => text.replace(theirs, ours), query.toLowerCase())
    if (named !== query.toLowerCase()) return named
    const asked = chosen(query)
    const isAll = form => wordsOf(form).join(' ') === asked.join(' ')
    const isSaid = word => [...said].some(other => isAsked(other, word))
    const meant = asked.some(isSaid) ? null : words.find(({ forms }) => forms.some(isAll))
    return meant?.name ?? query
}

/**
 * Scores of documents, each a Map of words and their counts.
 * @param {Map<string, number>[]} documents
 * @param {string[]} words
 */
export function scores(documents, words) {
    const sizes = documents.map(sizeOf)
    const mean = sizes.reduce((sum, size) => sum + size, 0) / documents.length
    const sums = documents.map(() => 0)
    for (const word of words) {
        const often = documents.map(counts => frequency(counts, word))
        const have = often.filter(Boolean).length
        const rarity = Math.log(1 + (documents.length - have + 0.5) / (have + 0.5))
        often.forEach((n, i) => (sums[i] += (rarity * n * (K1 + 1)) / (n + K1 * (1 - B + (B * sizes[i]) / mean))))
    }
    return sums
}

// How much of a word of the course, in the nearest of its forms, is among these words, or of these in it; one that is
// only begun counts less, and not at all where pages say what was asked itself: a plan is no plane.
function nearness({ forms }, words, said = new Set()) {
    const near = form => {
        const own = wordsOf(form)
        const isBegun = word => words.some(other => other.length >= BEGUN && (said.has(other) ? isForm : isAsked)(word, other))
        const parts = own.map(word => (words.includes(word) ? 1 : isBegun(word) ? PREFIX : 0)).filter(Boolean)
        const common = parts.reduce((sum, part) => sum + part, 0)
        const isNear = parts.length === own.length || parts.length === words.length
        return isNear ? common / Math.max(own.length, words.length) : 0
    }
    return Math.max(0, ...forms.map(near))
}

// How many of these words name a word of the course, in parts of all: "query" and "key" in "query or key" do.
function named(glossary, words) {
    const forms = glossary.flatMap(word => word.forms.map(wordsOf))
    const whole = forms.filter(form => form.every(own => words.some(word => isForm(own, word)))).flat()
    return words.filter(word => whole.some(own => isForm(own, word))).length / words.length
}

/**
 * The words of the course that a question names, in whole or in part, the nearest first; by another name that pages
 * say everywhere, as "model", only where nothing else is asked. glossary: "words" of search.json; said, everywhere: words
 * that some pages say, and that most do.
 */
export function findWords(glossary, query, { said, everywhere } = { everywhere: new Set() }) {
    const literal = chosen(query)
    const usual = literal.map(word => SAME[word] ?? word)
    const tells = (form, name) => literal.length < 2 || !everywhere.has(form) || isForm(form, name)
    const near = word => Math.max(nearness(word, literal, said), nearness(word, usual, said))
    const found = glossary.map(word => ({ ...word, near: near({ forms: word.forms.filter(form => tells(form, word.name)) }) }))
    return found.filter(({ near }) => near).sort((one, other) => other.near - one.near).slice(0, SHOWN)
}

// How often these words stand together in a sentence of the path, of many words as many as two or more; in a heading
// this counts several times.
function together(sections, words) {
    if (words.length < 2) return 0
    const share = text => Math.max(0, holds(text, words) - 1) / (words.length - 1)
    const sum = ([, heading, texts]) => IN_HEADING * share(heading) + texts.flatMap(sentencesOf).reduce((all, text) => all + share(text), 0)
    return sections.filter(section => !isAside(section)).reduce((all, section) => all + sum(section), 0)
}

// How many of these words a section has near each other: in its heading with a sentence and its neighbours, or with a
// cell of a table.
function closest([, heading, texts, , others], words) {
    const forms = words.map(word => withSame([word]))
    const has = text => forms.map(each => holds(text, each) > 0)
    const sentences = texts.flatMap(sentencesOf).map(has)
    const places = [...sentences.map((_, at) => sentences.slice(Math.max(0, at - 1), at + 2)), ...others.map(text => [has(text)])]
    const inHeading = has(heading)
    return Math.max(...[[], ...places].map(place => words.filter((_, n) => [inHeading, ...place].some(each => each[n])).length))
}

const isAside = ([id, , , isOptional]) => isOptional || id in ASIDE
const weight = ([id, , , isOptional]) => ASIDE[id] ?? (isOptional ? OPTIONAL : 1)

/**
 * [{page, title, isApart, sections: [{id, heading, text, phrase, isBehind}, …]}, …], the best first: of pages, and of
 * the sections of a page, those of the path before what is optional, asks, or names papers. isApart: no page has the
 * words near each other; phrase: some words of the text, as the page has them; isBehind: they wait for an answer. index,
 * glossary: "pages" and "words" of search.json; asked: the query before it was put into the course's own words, by which
 * it may be explained, too.
 */
export function find(index, query, glossary, asked = query) {
    const literal = chosen(query)
    const words = withSame(literal)
    const usual = literal.map(word => SAME[word] ?? word) // what the notebooks mostly say
    const ofSection = ([, heading, texts, , others]) => [[heading, IN_HEADING], ...[...texts, ...others].map(text => [text, 1])]
    const weighed = section => ofSection(section).map(([text, counts]) => [text, counts * weight(section)])
    const pages = index.map(page => counted([[page.title, IN_TITLE], ...page.sections.flatMap(weighed)]))
    const needed = literal.length - (literal.length > 2) // of a question of many words one may be anywhere
    // how much of the question is about these words of the course, of one or of all
    const told = words => Math.max(...[literal, chosen(asked)].flatMap(all => [named(words, all), ...words.map(word => nearness(word, all))]))
    const much = new Map(index.map(({ page }) => [page, told(glossary.filter(word => word.page === page))]))
    const explained = ({ page }) => (much.get(page) < 0.5 ? 0 : much.get(page))
    const often = page => together(page.sections, usual)
    const gain = page => 1 + EXPLAINS * explained(page) + (TOGETHER * often(page)) / (often(page) + ENOUGH)
    const scored = scores(pages, usual).map((score, n) => ({ score: score * gain(index[n]), ...index[n] }))
    const found = scored.filter(page => page.score > 0)
    const explains = (page, section) => !isAside(section) && told(glossary.filter(word => word.page === page.page && word.heading === section[1])) > 0.5
    const explaining = new Set(found.flatMap(page => page.sections.filter(section => explains(page, section))))
    const isExplaining = section => explaining.has(section)
    const close = new Map(found.flatMap(page => page.sections.map(section => [section, isExplaining(section) ? literal.length : closest(section, literal)])))
    const isClose = section => close.get(section) >= needed
    const whole = found.filter(page => page.sections.some(isClose))
    // a long question is seldom said as it is asked: where few pages have most of its words, others that have some follow
    const isFew = whole.length && literal.length > 2 && whole.length < ENOUGH_PAGES
    const others = () => found.filter(page => !whole.includes(page)).sort((one, other) => other.score - one.score)
    const some = isFew ? [...whole, ...others().slice(0, ENOUGH_PAGES - whole.length)] : whole.length ? whole : found
    // a page that says them together only in what is optional, asks, or names papers, comes later
    const closestOf = ({ sections }) => Math.max(0, ...sections.filter(section => !isAside(section)).map(section => close.get(section)))
    // a page that is about all that is asked, or explains it all, comes first, then one that explains a part
    const isWhole = page => holds(page.title, usual) === usual.length || explained(page) === 1
    const isFirst = page => 2 * (literal.length > 1 && isWhole(page)) + page.sections.some(section => isExplaining(section)) // perhaps a part alone
    // of one word, longer ones that begin with it come last: who asks for the exam wants no example
    const isLonger = page => literal.length === 1 && ![...counted(page.sections.flatMap(ofSection)).keys()].some(own => withSame(literal).some(word => isForm(own, word)))
    const rank = page => literal.length - closestOf(page) - isFirst(page) + (page.page === LAST ? literal.length + 1 : 0) + 3 * (isLonger(page) && !isFirst(page))
    const best = some.map(page => ({ ...page, rank: rank(page) })).sort((one, other) => one.rank - other.rank || other.score - one.score)
    return best.map(page => {
        const each = scores(page.sections.map(section => counted(ofSection(section))), words)
        const all = each.map((score, n) => [score, page.sections[n]]).filter(([score, section]) => score > 0 || isExplaining(section))
        const near = all.filter(([, section]) => isClose(section))
        // a title alone answers nothing
        const isBare = ([, section]) => section === page.sections[0] && !section[2].length
        const telling = [near, all].map(list => list.filter(each => !isBare(each))).find(list => list.length)
        const order = telling ?? all
        const opens = ([, section]) => section === page.sections[0] && holds(section[2].join(' '), literal) >= needed
        const aside = ([, section]) => isAside(section)
        const explains = ([, section]) => isExplaining(section)
        const names = ([, [id]]) => id === 'sources'
        const warns = ([, [, heading]]) => heading.startsWith(MISTAKE) && holds(heading, literal) < 2
        const after = (one, other) =>
            names(one) - names(other) ||
            explains(other) - explains(one) ||
            opens(other) - opens(one) ||
            aside(one) - aside(other) ||
            warns(one) - warns(other) ||
            other[0] - one[0]
        const share = ([, [, heading, texts]]) => Math.max(...[heading, ...texts].map(text => holds(text, literal))) // in one place
        const path = order.filter(each => !aside(each))
        const most = Math.max(...(path.length ? path : order).map(share)) // an exercise has all words of what it asks about
        const isHalf = each => most === literal.length && share(each) < most && !explains(each) // others have all words
        const top = order.filter(each => !isHalf(each)).sort(after).slice(0, SHOWN)
        const own = page.sections.flatMap(([, heading, texts, , others]) => [heading, ...texts, ...others]).join('\n').toLowerCase()
        const isOnce = phrase => own.split(phrase.toLowerCase()).length === 2 // the browser goes to the first
        const shown = ([, [id, heading, texts, , others]]) => {
            const { text, sentence, isBehind } = snippet(texts, literal, words)
            const phrase = phraseOf(sentence, literal, words)
            const isInTable = !holds(`${heading} ${sentence}`, words) && holds(others.join(' '), words) > 0 // which may wait, too
            return { id, heading, text, phrase: isOnce(phrase) ? phrase : '', isBehind: isBehind || isInTable }
        }
        return { ...page, isApart: !whole.length, sections: top.map(shown) }
    })
}

const holds = (text, words) => words.filter(word => wordsOf(text).some(other => isAsked(other, word))).length

// The sentence with most of the words that were asked, which has its neighbours have others, in a paragraph that has
// most of them, also by their other names: {text: it, and of those after and before it as many as have room; sentence;
// isBehind: whether the page shows it only once a question before it is answered}.
function snippet(texts, literal, words) {
    const question = texts.findIndex(text => text.startsWith(QUESTION))
    const all = texts.flatMap((text, n) => {
        const sentences = sentencesOf(text)
        const whole = holds(text, words)
        return sentences.map((sentence, at) => {
            const around = sentences.slice(Math.max(0, at - 1), at + 2).join(' ')
            return { sentences, at, isBehind: question >= 0 && n > question, has: [holds(sentence, literal), holds(around, literal), holds(sentence, words), whole] }
        })
    })
    const isBetter = (one, other) => one.has.map((n, k) => n - other.has[k]).find(Boolean) > 0
    if (!all.length) return { text: '', sentence: '', isBehind: false }
    const { sentences, at, isBehind } = all.reduce((best, each) => (isBetter(each, best) ? each : best))
    const size = (from, to) => sentences.slice(from, to).join(' ').length
    let [from, to] = [at, at + 1]
    const isWhole = n => n < sentences.length && !sentences[n].endsWith('…') // no formula stands in its end's place
    while (isWhole(to) && size(from, to + 1) <= SNIPPET) to++
    while (from > 0 && size(from - 1, to) <= SNIPPET) from--
    const said = size(from, to) > LONGEST ? cut(sentences[at], literal, words) : sentences.slice(from, to).join(' ')
    const text = (from && !said.startsWith('…') ? '… ' : '') + said + (to < sentences.length && !said.endsWith('…') ? ' …' : '')
    return { text: text.replace(/:(?: …)?$/, ' …'), sentence: sentences[at], isBehind } // what a colon announces is not shown
}

// Words of a sentence that stand side by side, around the first that was asked, or "": none may be a formula's, which
// the page has otherwise.
function phraseOf(sentence, literal, words) {
    const runs = [[]]
    for (const part of sentence.split(/\s+/)) {
        if (PLAIN.test(part)) runs.at(-1).push(part)
        else runs.push([])
    }
    const much = run => [holds(run.join(' '), literal), holds(run.join(' '), words), run.length]
    const isBetter = (one, other) => much(one).map((n, k) => n - much(other)[k]).find(Boolean) > 0
    const best = runs.filter(run => run.length >= SHORTEST).reduce((best, run) => (isBetter(run, best) ? run : best), [])
    const at = Math.max(0, best.findIndex(part => holds(part, words)))
    const from = Math.max(0, Math.min(at - PHRASE / 2, best.length - PHRASE))
    return best.slice(from, from + PHRASE).join(' ').replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
}

// A word that a formula is hardly made of: "Q", "cos" and "ω" may be.
const PLAIN = /^[("“‘]*(?!(?:cos|sin|ln)\b)(?:[aAI]|\p{L}\p{Ll}+(?:[-’']\p{L}+)*)[)\].,;:!?"”’]*$/u

/**
 * The address of a place on a page; where the browser can, it goes to the words and marks them. isBehind: they wait for
 * an answer; else a search tells none.
 */
export function addressOf(page, id, phrase, isBehind) {
    const isMarked = phrase && 'fragmentDirective' in document // else all would be read as the place's name
    return `${page}.html${isBehind ? '?open' : ''}#${id}${isMarked ? `:~:text=${encodeURIComponent(phrase).replace(/-/g, '%2D')}` : ''}`
}

/** The sentences of a paragraph, whose last may have no end. */
export const sentencesOf = text => text.match(/\S.*?[.!?…][)\]"”’]*(?=\s+[\p{Lu}\p{N}([“‘"]|\s*$)|\S.*$/gsu) ?? ['']

// A long sentence around the first word that was asked, between whole words and without the beginning of a bracket.
function cut(sentence, literal, words) {
    const parts = piecesOf(sentence)
    const first = words => parts.findIndex(part => holds(part, words))
    const at = Math.max(0, first(literal) < 0 ? first(words) : first(literal))
    let [from, to, length] = [at, at, 0]
    while (length < SNIPPET && (from > 0 || to < parts.length)) {
        if (to < parts.length) length += parts[to++].length
        if (from > 0 && length < SNIPPET) length += parts[--from].length
    }
    const text = parts.slice(from, to).join('').trim()
    const open = text.lastIndexOf('(')
    const isOpen = to < parts.length && open > text.length / 2 && !text.includes(')', open)
    const end = isOpen ? text.slice(0, open).replace(/\s*[^\s]*$/, '') : text
    return (from ? '… ' : '') + end + (to < parts.length ? ' …' : '')
}

// An index of a formula, as in W_q and kω_i; code has words before it: row_q, d_model.
const INDEX = /(?<=[\p{Lu}\p{Script=Greek}]|(?<![\p{L}\p{N}])\p{Ll})_([\p{L}\p{N}])(?![\p{L}\p{N}_])/u
const lowered = text => text.split(INDEX).map((part, n) => (n % 2 ? element('sub', {}, part) : part))
// A power, as in e^(a − b) and x^n.
const POWER = /\^(\([^()]*\)|[\p{L}\p{N}])/u
const raised = part => element('sup', {}, ...lowered(part.replace(/^\(|\)$/g, '')))
const typeset = text => text.split(POWER).flatMap((part, n) => (n % 2 ? raised(part) : lowered(part)))

function marked(text, words) {
    const line = element('p', {})
    for (const part of piecesOf(text)) {
        const [, before, word, after] = /^([("“‘]*)(.*?\([^()]*\)|.*?)([)\].,;:!?"”’]*)$/su.exec(part)
        line.append(...(holds(part, words) ? [before, element('mark', {}, ...typeset(word)), after] : typeset(part)))
    }
    return line
}

// The words of the course that most of its pages say.
function oftenSaid({ pages, words }) {
    const said = pages.map(({ sections }) => new Set(sections.flatMap(([, , texts]) => texts.flatMap(wordsOf))))
    const often = ({ name }) => said.filter(page => page.has(name.toLowerCase())).length // 0 of a name of several words
    return words.toSorted((one, other) => often(other) - often(one)).slice(0, SHOWN)
}

const ask = question => element('a', { href: `search.html?q=${encodeURIComponent(question)}` }, question)

// What one may ask, where nothing was asked yet.
function examples(most = EXAMPLES.length) {
    const all = EXAMPLES.slice(0, most).flatMap(question => [ask(question), ' · ']).slice(0, -1)
    return element('p', { class: 'search-examples' }, 'A word or a question, such as: ', ...all)
}

// What to try where nothing was found.
function help(index) {
    const links = oftenSaid(index).map(({ name }) => ask(name))
    const all = element('a', { href: 'glossary.html' }, 'the words of this course')
    const [first, second, third] = links
    return element('p', {}, 'Try one word, such as ', first, ', ', second, ' or ', third, ', or look through ', all, '.')
}

// The words of a question that stand nowhere, if the site says none of the others as they are asked: what is found for
// another form of one of them would be no answer, such as streaming for a residual stream.
function strangers({ words: glossary }, said, words) {
    const isNamed = word => said.has(word) || word in SAME || glossary.some(({ forms }) => forms.some(form => wordsOf(form).includes(word)))
    const isMeant = word => isNamed(word) || [...said].some(other => isAsked(other, word))
    return words.length < 2 || words.some(isNamed) ? [] : words.filter(word => !isMeant(word))
}

const WORDS = new WeakMap() // of an index

/**
 * {said: the words of its pages' headings and texts, all: those of what else is searched, too, everywhere: those that
 * most pages say}, made once.
 */
function wordsIn(index) {
    if (!WORDS.has(index)) {
        const found = textsOf => index.pages.map(({ sections }) => new Set(sections.flatMap(section => wordsOf(textsOf(section).join(' ')))))
        const pages = found(([, heading, texts]) => [heading, ...texts])
        const said = new Set(pages.flatMap(page => [...page]))
        const all = new Set([...said, ...found(([, , , , others]) => others).flatMap(page => [...page])])
        const everywhere = new Set([...said].filter(word => pages.filter(page => page.has(word)).length > EVERYWHERE * pages.length))
        WORDS.set(index, { said, all, everywhere })
    }
    return WORDS.get(index)
}

/** {isFound, said: how many pages, for what; parts: elements that show them, or help} of a question. index: search.json. */
function answer(index, asked) {
    const meant = mended(index, asked)
    const { said, all } = wordsIn(index)
    const query = asHere(index, meant, said)
    const strange = strangers(index, all, chosen(query))
    const found = strange.length ? [] : find(index.pages, query, index.words, meant)
    const explained = strange.length ? [] : findWords(index.words, query, wordsIn(index))
    const words = withSame(chosen(query))
    const isApart = found[0]?.isApart && chosen(query).length > 1 // each word stands somewhere, and all nowhere
    const pages = found.length === 1 ? 'One page' : `${found.length || 'No'} pages`
    const form = word => (said.has(word) ? '' : [...said].find(other => isForm(other, word)))
    const other = word => SAME[word] ?? form(word)
    const also = strange.length ? [] : chosen(query).map(other).filter(Boolean).map(word => `, also “${word}”`)
    const here = query === meant ? '' : `, here “${query}”`
    const none = [...(meant === asked ? [] : [asked]), ...strange]
    const instead = none.length ? `; none says ${none.map(word => `“${word}”`).join(' or ')}` : ''
    const parts = explained.map(({ id, name, text }) => {
        const link = element('a', { href: `glossary.html#${id}` }, name)
        return element('div', { class: 'search-word' }, link, marked(text, words))
    })
    const list = element('ol', { class: 'search-found' })
    for (const { page, title, sections } of found) {
        const number = /^\d\d/.exec(page)?.[0]
        const item = element('li', {}, element('a', { href: `${page}.html` }, number ? `${number} · ${title}` : title))
        for (const { id, heading, text, phrase, isBehind } of sections) {
            if (heading !== title) item.append(element('a', { href: addressOf(page, id, phrase, isBehind), class: 'search-part' }, heading))
            if (text) item.append(marked(text, words))
        }
        list.append(item)
    }
    if (parts.length) parts.unshift(element('p', { class: 'search-from' }, 'From the words of this course'))
    const isFound = found.length + explained.length > 0
    return { isFound, said: `${pages} for ${isApart ? 'some words of ' : ''}“${meant}”${here}${also.join('')}${instead}`, parts: isFound ? [...parts, list] : [help(index)] }
}

/**
 * Show in `place` what is typed into `field`. Returns a function that shows a question's answer.
 * @param {(asked: string) => void} [tell]  called with each question, before its answer is there
 * @param {() => Node | string} [idle]  what stands there where nothing is asked
 */
function showAnswers(field, place, tell = () => {}, idle = () => '') {
    const heard = element('p', { role: 'status', class: 'visually-hidden' })
    const shown = element('div', {})
    shown.append(idle())
    place.append(heard, shown)
    let [newest, pause, rest, loading] = [0]
    const load = () => (loading ??= fetch('search.json').then(answer => answer.json()).catch(() => null))

    // isSaid: whether it is announced at once; who types hears it where the typing rests.
    async function show(asked, isSaid) {
        const number = ++newest
        clearTimeout(pause)
        clearTimeout(rest)
        heard.textContent = ''
        tell(asked)
        const index = await load()
        if (number !== newest) return // another was asked meanwhile
        if (!index) return shown.replaceChildren(element('p', { role: 'alert' }, 'The search could not be loaded: reload this page.'))
        const { isFound, said, parts } = answer(index, asked)
        const isNothing = !asked || (!isFound && !isSaid && asked.length < SHORT) // nothing yet
        shown.replaceChildren(...(isNothing ? (asked ? [] : [idle()]) : [element('p', { class: 'search-said', 'aria-hidden': true }, said), ...parts]))
        if (!isNothing) rest = setTimeout(() => (heard.textContent = said), isSaid ? 0 : REST)
    }

    field.addEventListener('focus', load, { once: true })
    field.addEventListener('input', () => {
        clearTimeout(pause)
        pause = setTimeout(() => show(field.value.trim(), false), PAUSE)
    })
    return show
}

// Arrow keys lead from the field to what is found, from one to the next, and back.
function leadByArrows(field, place) {
    const go = event => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (!step) return
        event.preventDefault()
        const stops = [field, ...place.querySelectorAll('a')]
        stops[stops.indexOf(document.activeElement) + step]?.focus()
    }
    for (const part of [field, place]) part.addEventListener('keydown', go)
}

/** On the page of the search: show in `place` what the address asks for, then what is typed into the page's field. */
export function startSearch(place) {
    const field = document.querySelector('.bd-search-container input[type=search]')
    const write = asked => history.replaceState(history.state, '', asked ? `?q=${encodeURIComponent(asked)}` : location.pathname)
    const show = showAnswers(field, place, write, () => examples())
    leadByArrows(field, place)
    field.form.addEventListener('submit', event => {
        event.preventDefault()
        const asked = field.value.trim()
        if (!asked) return
        field.blur() // the results are read, and a phone takes its keys away
        show(asked, true)
    })
    const asked = new URLSearchParams(location.search).get('q')?.trim() ?? ''
    field.value = asked
    if (asked) show(asked, true)
    if (!asked || matchMedia('(pointer: fine)').matches) field.focus() // a phone's keys would cover the results
}

/** On every page: below the field that Ctrl+K opens stands what is found as one types. Enter leads to all of it. */
export function startTyped(dialog) {
    const place = element('div', { class: 'search-typed' })
    const field = dialog.querySelector('input[type=search]')
    showAnswers(field, place, undefined, () => examples(FEW))
    leadByArrows(field, place)
    place.addEventListener('keydown', ({ key }) => key === 'Escape' && dialog.close()) // the theme asks its field alone
    place.addEventListener('click', ({ target }) => target.closest('a') && dialog.close()) // it may lead to this page
    dialog.append(place)
}
