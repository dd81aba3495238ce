// Words that can be asked, by pointer, tap or focus. A claim's show the value as it was recomputed when the pages
// were made, and lead to the line of code that did it; a term's say what it means, and lead to where that is said;
// those that name a source show its entry in the list of sources. Without JavaScript the words lead there themselves.

import { element } from './live_figures/recording.js'

const GAP = 4 // pixels between the words and what they show
const NEAR = 90 // three lines: how far from them it may be, beyond their sentence or a bold one
const END = /[.!?…][)\]"”’]*(?=\s|$)/g // of a sentence
const PATIENCE = 400 // milliseconds in which the pointer may go from the words to what they show
const PICTURES = '.katex-display .base, img, canvas' // and formulas: they are left in sight where there is room above,
const KEY = `${PICTURES}, article p > strong` // and so are bold sentences, if that leaves all of these in sight

let closeShown = () => {} // what is shown now: it makes way for the next at once

export function startClaims() {
    const all = [...document.querySelectorAll('a.claim, a.term, a.source')]
    for (const words of all) startClaim(words, () => history.replaceState({ ...history.state, left: all.indexOf(words) }, ''))
    // Back leads to the words again, whatever else the address names: the browser would go there.
    addEventListener('popstate', ({ state }) => {
        const words = all[state?.left]
        if (words) setTimeout(() => comeBack(words))
    })
}

function comeBack(words) {
    words.focus({ preventScroll: true })
    const { top, bottom } = words.getBoundingClientRect()
    if (top < leastOf() || bottom > innerHeight) words.scrollIntoView({ block: 'center' })
}

// Where the page begins below its bar, in pixels of the screen.
const leastOf = () => document.querySelector('.bd-header-article')?.getBoundingClientRect().bottom ?? 0

const rectsOf = parts => [...document.querySelectorAll(parts)].flatMap(part => [...part.getClientRects()])
const covers = (box, rects) =>
    rects.some(({ left, top, right, bottom }) => left < box.right && box.left < right && top < box.bottom && box.top < bottom)

// The lines, as rectangles, of the sentence in which these words stand.
function sentenceOf(words) {
    const texts = document.createTreeWalker(words.closest('p, li, dd, td, summary') ?? words.parentElement, NodeFilter.SHOW_TEXT)
    const sentences = [[]] // each of [text, from, to]
    while (texts.nextNode()) {
        const { currentNode: text } = texts
        if (text.parentElement.closest('.claim-value, .katex-mathml')) continue
        let from = 0
        for (const { index, 0: end } of text.parentElement.closest('.katex') ? [] : text.data.matchAll(END)) {
            sentences.at(-1).push([text, from, (from = index + end.length)])
            sentences.push([])
        }
        if (from < text.length) sentences.at(-1).push([text, from, text.length])
    }
    const range = document.createRange()
    const own = sentences.filter(parts => parts.some(([text]) => words.contains(text))).flat()
    return own.flatMap(([text, from, to]) => {
        range.setStart(text, from)
        range.setEnd(text, to)
        return [...range.getClientRects()].filter(({ width }) => width > 1) // of a space where a line ends
    })
}

// leave: called before the reader goes to where they lead.
function startClaim(words, leave) {
    const value = words.title
    words.removeAttribute('title')
    const { leads = words.getAttribute('href') } = words.dataset
    const entry = words.matches('.source') && document.querySelector(leads)
    const { place = entry ? 'all sources' : 'the code' } = words.dataset
    const link = element('a', { href: leads, tabindex: -1 }, place) // for who comes by Tab the words themselves lead there
    const shown = element('span', { class: 'claim-value', role: 'status' })
    words.after(shown)
    let closing = null

    function open() {
        clearTimeout(closing)
        if (shown.hasChildNodes()) return
        const closeOther = closeShown
        closeShown = close
        closeOther()
        shown.append(...(entry ? entry.cloneNode(true).childNodes : [value]), ' · ', link)
        shown.style.translate = ''
        const { left, y, width, height } = shown.getBoundingClientRect()
        const least = leastOf()
        const isSeen = box => box.top >= least && box.bottom <= innerHeight
        // below the words, or above them, over what was read already; or beyond their sentence, or their paragraph:
        // the first that leaves the sentence, formulas, pictures and bold sentences in sight, or most of these
        const lines = [...words.getClientRects()]
        const sentence = sentenceOf(words)
        const { left: start, right: end } = lines.at(-1)
        const most = document.documentElement.clientWidth - 8 - width
        const xs = [Math.min(start, most), Math.max(end - width, 8)]
        const [first, last] = [lines[0].top, lines.at(-1).bottom]
        const above = [first, Math.min(first, ...sentence.map(line => line.top))].filter(top => first - top < NEAR)
        const ends = [...sentence.map(line => line.bottom), words.parentElement.getBoundingClientRect().bottom]
        const below = [last, Math.max(last, ...ends.slice(0, -1)), ends.at(-1)].filter(bottom => bottom - last < NEAR)
        const [under, ...beyond] = below.map(bottom => bottom + GAP)
        const [over, ...before] = above.map(top => top - GAP - height)
        const tops = [under, over, ...beyond, ...before]
        const boxes = xs.flatMap(x => tops.map(top => ({ left: x, top, right: x + width, bottom: top + height })))
        const seen = boxes.filter(isSeen)
        const leaving = rects => seen.find(box => !covers(box, rects))
        const [key, pictures] = [rectsOf(KEY), rectsOf(PICTURES)]
        const wishes = [[...key, ...sentence], [...pictures, ...sentence], key, pictures]
        const box = wishes.map(leaving).find(Boolean) ?? seen[0] ?? boxes[0]
        shown.style.translate = `${box.left - left}px ${box.top - y}px`
    }
    function close() {
        clearTimeout(closing)
        if (shown.contains(document.activeElement)) words.focus()
        shown.replaceChildren()
    }
    function closeSoon() {
        clearTimeout(closing) // the pointer and the focus may both have left
        closing = setTimeout(close, PATIENCE)
    }

    // who goes on by Tab is not kept waiting, and nothing covers where the focus is
    function goOn({ relatedTarget: next }) {
        const isKept = !next || [words, shown].some(part => part.contains(next) || part.matches(':hover'))
        if (isKept) closeSoon()
        else close()
    }

    for (const part of [words, shown]) {
        part.addEventListener('pointerenter', open)
        part.addEventListener('pointerleave', closeSoon)
        part.addEventListener('focusin', open)
        part.addEventListener('focusout', goOn)
    }
    addEventListener('keydown', event => event.key === 'Escape' && close())
    addEventListener('pointerdown', ({ target }) => words.contains(target) || shown.contains(target) || close())
    words.addEventListener('click', event => {
        event.preventDefault()
        if (!event.detail && shown.hasChildNodes()) link.click() // by Enter, of who has heard what it says
        else open()
    })
    link.addEventListener('click', () => {
        leave()
        close()
        if (location.hash === leads) setTimeout(() => dispatchEvent(new Event('hashchange'))) // it is shown again
    })
}
