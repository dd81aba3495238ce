// Words that can be asked, by pointer, tap or focus. A claim's are shown again, with the value as it was computed when
// the pages were made and the code that computed it, and lead to that line; a term's say what it means, and lead to
// where that is said; those that name a source show its entry in the list of sources. Without JavaScript the words lead
// there.

import { element } from './live_figures/recording.js'
import { closedFolds } from './predictions.js'

const GAP = 4 // pixels between the words and what they show
const NEAR = 90 // three lines: how far above them it is looked for
const FAR = 3 * NEAR // and below or beside them
const STEP = 4 // pixels between places that are tried
const END = /[.!?…][)\]"”’]*(?=\s|$)/g // of a sentence
const NARROW = '16em' // of a box that has no room near its words in one or two lines
const CHEAPER = 40 // so much less its place must cost then
const PATIENCE = 1000 // milliseconds in which the pointer may go from the words to what they show
const PASSING = 250 // and for which it may go over other words on its way
const KEY = 'img, canvas, .katex-display .base, article p > strong'
const TEXTS = 'article :is(h1, h2, h3, h4, p, li, dt, dd, th, td, summary, label, pre)'
const THINGS = 'article :is(button, input, select), .live-figure'
const phone = matchMedia('(max-width: 599px)')
const AROUND = '.bd-header-article, .bd-sidebar-primary, .bd-sidebar-secondary'
// what it costs to cover these, in pixels that another place may be further away; to be above or beside the words, too
const COSTS = { sentence: 9999, next: 3000, key: 125, other: 60, above: 500 }

let closeShown = () => {} // what is shown now: it makes way for the next at once
const SHOWN = '.claim-value:not(:empty)'

export function startClaims() {
    const all = [...document.querySelectorAll('a.claim, a.term, a.source')]
    const first = all.find(words => !words.matches('.source')) // which looks like a link, and is one
    if (first && !document.querySelector('.slides')) sayHow(first)
    for (const words of all) startClaim(words, () => history.replaceState({ ...history.state, left: all.indexOf(words) }, ''))
    // Back leads to the words again, whatever else the address names: the browser would go there.
    addEventListener('popstate', ({ state }) => {
        const words = all[state?.left]
        if (!words) return
        history.replaceState({ ...state, left: null }, '') // once: later the browser knows the place
        setTimeout(() => comeBack(words))
    })
}

// What the dots mean, in a line before the first words that have them. It is no use on paper.
function sayHow(first) {
    let part = first
    while (!part.parentElement.matches('section, article, .door, .prediction-veil')) part = part.parentElement
    while (part.matches('details, form')) part = part.previousElementSibling // to the question, whose answers these are
    const byKey = element('span', { class: 'claim-keys' }, ', or reach it with Tab,') // a phone has none
    const hasTerms = document.querySelector('article a.term')
    const how = element('p', { class: 'claim-how' }, `What is underlined with dots${hasTerms ? ' or dashes' : ''}: `)
    const byPointer = element('span', { class: 'claim-keys' }, 'point at it, ')
    how.append(byPointer, 'tap it', byKey, ` to see the exact number${hasTerms ? ' or what a word means' : ''}.`)
    part.before(how)
    addEventListener('beforeprint', () => how.remove())
    addEventListener('afterprint', () => {
        how.className = 'claim-how' // without the marks of paper, which it had when it was taken out
        part.before(how)
    })
}

function comeBack(words) { // first, as what they show is placed where they are
    const { top, bottom } = words.getBoundingClientRect()
    if (top < leastOf() || bottom > innerHeight) words.scrollIntoView({ behavior: 'instant', block: 'center' })
    words.focus({ preventScroll: true })
}

// Where the page begins below its bar, in pixels of the screen.
const leastOf = () => document.querySelector('.bd-header-article')?.getBoundingClientRect().bottom ?? 0

const blockOf = words => words.closest('p, li, dd, td, summary') ?? words.parentElement
const covers = (box, rects) =>
    rects.some(({ left, top, right, bottom }) => left < box.right && box.left < right && top < box.bottom && box.top < bottom)

// The lines, as rectangles, of pieces of text, [[text, from, to], …].
function linesOf(pieces) {
    const range = document.createRange()
    return pieces.flatMap(([text, from, to]) => {
        range.setStart(text, from)
        range.setEnd(text, to)
        return [...range.getClientRects()].filter(({ width }) => width > 1) // of a space where a line ends
    })
}

// Rectangles of the parts of the page that are seen between two heights of the screen, of their lines where it says so.
function rectsOf(parts, [top, bottom], areLines = false) {
    const seen = [...document.querySelectorAll(parts)].filter(part => {
        const box = part.getBoundingClientRect()
        return box.bottom > top && box.top < bottom && part.checkVisibility()
    })
    if (!areLines) return seen.flatMap(part => [...part.getClientRects()])
    return linesOf(seen.flatMap(part => [...textsFrom(part, part)].map(text => [text, 0, text.length])))
}

// Where a box of this size stands: below these words, or beside them, as near as it can be where it covers nothing;
// or else as near as it can be below their sentence and what is read next. Formulas, pictures and bold sentences
// are left in sight, too. Above them it stands where nothing is, or where the screen ends below.
function placeOf(words, { width, height }) {
    const lines = [...words.getClientRects()]
    const [first, last] = [lines[0].top, lines.at(-1).bottom]
    const [left, right] = [Math.min(...lines.map(line => line.left)), Math.max(...lines.map(line => line.right))]
    const heights = [first - NEAR - height, last + FAR + height]
    const [own, next] = sentenceOf(words)
    const sentence = [...own, ...rectsOf(AROUND, heights)]
    const key = rectsOf(KEY, heights)
    const other = [...rectsOf(TEXTS, heights, true), ...rectsOf(THINGS, heights)]
    const grown = ({ left, top, right, bottom }, by) => {
        return { left: left - GAP, top: top - by, right: right + GAP, bottom: bottom + by }
    }
    const kinds = Object.entries({ sentence, next, key, other }).map(([kind, rects]) => [
        COSTS[kind],
        rects.map(box => grown(box, kind === 'sentence' ? GAP : GAP - 1)),
    ])
    const most = document.documentElement.clientWidth - 8 - width
    const [lowest, highest] = [Math.min(last + FAR, innerHeight - height), Math.max(heights[0], leastOf())]
    const xs = [Math.min(left, most)] // below where they begin, if there is room
    for (let x = Math.max(8, left - FAR - width); x <= Math.min(most, right + FAR); x += STEP) xs.push(x)
    let [found, least] = [{ left: xs[0], top: last + GAP }, Infinity] // and what it costs
    for (let top = lowest; top >= highest; top -= STEP)
        for (const x of xs) {
            const box = { left: x, top, right: x + width, bottom: top + height }
            const [aside, below, above] = [Math.max(left - box.right, x - right, 0), top - last, first - box.bottom]
            let cost = Math.hypot(aside / 2, Math.max(below, 2 * above, 0)) + Math.abs(x - left) / 100
            if (above > 0) cost += NEAR
            if (cost >= least) continue
            const covered = kinds.find(([, rects]) => covers(box, rects))?.[0] ?? 0
            cost += covered && covered + (below < 0 ? COSTS.above : 0)
            if (cost < least) [found, least] = [box, cost]
        }
    return [found, least]
}

// Texts that are seen, from the first on, which is one or the root of all.
function* textsFrom(first, root) {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    texts.currentNode = first
    for (let text = first === root ? texts.nextNode() : first; text; text = texts.nextNode())
        if (!text.parentElement.closest('.claim-value, .katex-mathml')) yield text
}

// [the lines of the sentence in which these words stand, what follows as far as the end of the next line].
function sentenceOf(words) {
    const block = blockOf(words)
    const sentences = [[]] // each of [text, from, to]
    for (const text of textsFrom(block, block)) {
        let from = 0
        for (const { index, 0: end } of text.parentElement.closest('.katex') ? [] : text.data.matchAll(END)) {
            sentences.at(-1).push([text, from, (from = index + end.length)])
            sentences.push([])
        }
        if (from < text.length) sentences.at(-1).push([text, from, text.length])
    }
    const own = sentences.filter(parts => parts.some(([text]) => words.contains(text))).flat()
    const lines = linesOf(own)
    const { bottom, height } = lines.at(-1)
    const next = []
    let [last, , from] = own.at(-1)
    let end = bottom + 2 * height // the next paragraph's first line, too
    for (const text of textsFrom(last, block.closest('article') ?? document.body)) {
        for (const line of linesOf([[text, from, text.length]])) {
            if (line.top >= end) return [lines, next]
            if (line.top > bottom - height / 2) end = Math.min(end, line.top + line.height / 2)
            next.push(line)
        }
        from = 0
    }
    return [lines, next]
}

// leave: called before the reader goes to where they lead.
function startClaim(words, leave) {
    const [value, made] = words.matches('.claim') ? words.title.split(' · computed ') : [words.title]
    words.removeAttribute('title')
    const { leads = words.getAttribute('href') } = words.dataset
    const entry = words.matches('.source') && document.querySelector(leads)
    const { place = entry ? 'all sources' : 'see the code' } = words.dataset
    const link = element('a', { href: leads, tabindex: -1 }, place) // for who comes by Tab the words themselves lead there
    const button = element('button', { type: 'button', class: 'claim-close', tabindex: -1, 'aria-label': 'Close' }, '×')
    const shown = element('span', { class: 'claim-value', role: 'status' })
    words.after(shown)
    let closing = null
    let opening = null
    let isHeld = false // by a click, until something else is pressed, or a phone is scrolled on
    const top = () => words.getBoundingClientRect().top
    let from = 0 // where the words stood on the screen

    function open() {
        clearTimeout(closing)
        clearTimeout(opening)
        if (shown.hasChildNodes()) return
        const closeOther = closeShown
        closeShown = close
        closeOther()
        if (made) {
            const code = !phone.matches && made.match(/^by (.*)/)?.[1] // it has no room there
            shown.append('“', ...words.cloneNode(true).childNodes, `”: ${value}`)
            const by = code ? ['computed by ', element('code', {}, code)] : ['computed for this page']
            if (code || phone.matches) shown.append(element('span', { class: 'claim-by' }, ...by, ' · ', link))
            else shown.append(' · ', link)
        } else shown.append(...(entry ? entry.cloneNode(true).childNodes : [value]), ' · ', link)
        if (phone.matches) shown.append(button)
        shown.style.translate = shown.style.maxWidth = ''
        shown.classList.remove('claim-high')
        const box = shown.getBoundingClientRect()
        if (phone.matches) { // at the foot of the screen, or at its head where the foot has the sentence, or what follows
            shown.classList.toggle('claim-high', covers(box, sentenceOf(words).flat()))
            return
        }
        let [place, cost] = placeOf(words, box)
        shown.style.maxWidth = NARROW
        const [other, less] = placeOf(words, shown.getBoundingClientRect())
        if (less + CHEAPER < cost) place = other
        else shown.style.maxWidth = ''
        const { left, top } = shown.getBoundingClientRect()
        shown.style.translate = `${place.left - left}px ${place.top - top}px`
    }
    function close() {
        clearTimeout(closing)
        isHeld = false
        if (shown.contains(document.activeElement)) words.focus({ preventScroll: true })
        shown.replaceChildren()
    }
    function closeSoon() {
        clearTimeout(closing) // the pointer and the focus may both have left
        if (!isHeld) closing = setTimeout(close, PATIENCE)
    }

    // who goes on by Tab is not kept waiting, and nothing covers where the focus is
    function goOn({ relatedTarget: next }) {
        const isKept = !next || [words, shown].some(part => part.contains(next) || part.matches(':hover'))
        if (isKept) closeSoon()
        else close()
    }

    function enter() { // the pointer may be on its way to what is shown of other words
        if (!shown.hasChildNodes() && document.querySelector(SHOWN)) opening = setTimeout(open, PASSING)
        else open()
    }
    function leaveSoon() {
        clearTimeout(opening)
        if (shown.hasChildNodes()) closeSoon()
    }

    for (const part of [words, shown]) {
        part.addEventListener('pointerenter', enter)
        part.addEventListener('pointerleave', leaveSoon)
        part.addEventListener('focusin', open)
        part.addEventListener('focusout', goOn)
    }
    addEventListener('keydown', event => event.key === 'Escape' && close())
    addEventListener('pointerdown', ({ target }) => words.contains(target) || shown.contains(target) || close())
    words.addEventListener('click', event => {
        event.preventDefault()
        if (!event.detail && shown.hasChildNodes()) link.click() // by Enter, of who has heard what it says
        else open()
        isHeld = event.detail > 0
        from = top()
    })
    button.addEventListener('click', close)
    const closeFar = () => phone.matches && isHeld && Math.abs(top() - from) > innerHeight / 3 && close()
    addEventListener('scroll', closeFar, { passive: true })
    link.addEventListener('click', () => {
        const isThere = location.hash === leads
        leave()
        close()
        if (isThere) setTimeout(() => dispatchEvent(new Event('hashchange'))) // it is shown again
        const place = leads.startsWith('#') && document.getElementById(decodeURIComponent(leads.slice(1)))
        if (place && place.closest('.cell')) offerBack(place, leads, () => (isThere ? comeBack(words) : history.back()))
    })
}

let withdrawBack = () => {}

// At code that a reader was led to, a button that leads back, as Escape does, for as long as the address names it. Folds
// that were opened for it are closed again.
function offerBack(place, address, comeBack) {
    withdrawBack()
    const keys = element('span', { class: 'claim-keys' }, ' (Escape)')
    const button = element('button', { type: 'button', class: 'claim-back' }, 'Back to the text', keys)
    const closed = closedFolds(place) // as yet
    const box = place.closest('.highlight')
    if (box) box.append(button) // not in the code, which can be copied
    else place.prepend(button)
    place.classList.add('claim-led')
    const watch = new ResizeObserver(() => (button.style.top = `${place.offsetTop + place.offsetHeight}px`))
    if (box) watch.observe(place) // when its fold opens, too
    const leave = () => location.hash === address || withdrawBack()
    const goBack = () => {
        withdrawBack()
        for (const fold of closed) fold.open = false
        comeBack()
    }
    const escape = ({ key }) => key === 'Escape' && !document.querySelector(`dialog[open], ${SHOWN}`) && goBack()
    button.addEventListener('click', goBack)
    addEventListener('hashchange', leave)
    addEventListener('keydown', escape)
    withdrawBack = () => {
        button.remove()
        place.classList.remove('claim-led')
        watch.disconnect()
        removeEventListener('hashchange', leave)
        removeEventListener('keydown', escape)
        withdrawBack = () => {}
    }
}
