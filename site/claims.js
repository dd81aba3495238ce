// Words that can be asked, by pointer, tap or focus. A claim's show the value as it was recomputed when the pages
// were made, and lead to the line of code that did it; a term's say what it means, and lead to where that is said;
// those that name a source show its entry in the list of sources. Without JavaScript the words lead there themselves.

import { element } from './live_figures/recording.js'

const GAP = 4 // pixels between the words and what they show
const PATIENCE = 400 // milliseconds in which the pointer may go from the words to what they show
const NEAR = 3 // lines below the words, as far as which their paragraph is left to be read
const PICTURES = '.katex-display .base, img, canvas' // and formulas: they are left in sight where there is room beside

let closeShown = () => {} // what is shown now: it makes way for the next at once

export function startClaims() {
    for (const words of document.querySelectorAll('a.claim, a.term, a.source')) startClaim(words)
}

// Where the last letter of a paragraph is.
function endOf(paragraph) {
    const mark = element('span', {})
    paragraph.append(mark)
    const box = mark.getBoundingClientRect()
    mark.remove()
    return box
}

function covers(box) {
    return [...document.querySelectorAll(PICTURES)].some(part => {
        const { left, top, right, bottom } = part.getBoundingClientRect()
        return left < box.right && box.left < right && top < box.bottom && box.top < bottom
    })
}

function startClaim(words) {
    const value = words.title
    words.removeAttribute('title')
    const { leads = words.getAttribute('href') } = words.dataset
    const entry = words.matches('.source') && document.querySelector(leads)
    const { place = entry ? 'all sources' : 'the code' } = words.dataset
    const link = element('a', { href: leads, tabindex: -1 }, place) // for who comes by Tab the words themselves lead there
    const shown = element('span', { class: 'claim-value', role: 'status' })
    words.after(shown)
    let closing = null
    let far = 0 // pixels from the words to what they show, and as many milliseconds more for the pointer

    function open() {
        clearTimeout(closing)
        if (shown.hasChildNodes()) return
        const closeOther = closeShown
        closeShown = close
        closeOther()
        shown.append(...(entry ? entry.cloneNode(true).childNodes : [value]), ' · ', link)
        shown.style.translate = ''
        const { left, top, width, height } = shown.getBoundingClientRect()
        const room = { right: document.documentElement.clientWidth - 8, bottom: innerHeight }
        const boxAt = (x, y) => ({ left: x, top: y, right: x + width, bottom: y + height })
        const isSeen = box => box.right <= room.right && box.bottom <= room.bottom
        // below the words, and below their paragraph where that ends soon, or beside its end or beside all of it, if
        // it covered a formula or a picture there; above the words where there is no room
        const x = Math.min(left, room.right - width)
        const lines = words.getClientRects()
        const last = lines[lines.length - 1]
        const paragraph = words.closest('p, li, dd, td, summary, blockquote') ?? words
        const { right, bottom } = paragraph.getBoundingClientRect()
        const isNear = bottom - last.bottom < NEAR * parseFloat(getComputedStyle(words.parentElement).lineHeight)
        const below = [Math.max(last.bottom, bottom), last.bottom].slice(isNear ? 0 : 1).map(y => boxAt(x, y + GAP))
        const end = endOf(paragraph)
        const beside = isNear ? [boxAt(end.right + 2 * GAP, end.top), boxAt(right + 2 * GAP, last.top)] : []
        const place =
            [below[0], ...beside].find(box => isSeen(box) && !covers(box)) ??
            below.find(isSeen) ??
            boxAt(x, lines[0].top - GAP - height)
        shown.style.translate = `${place.left - left}px ${place.top - top}px`
        far = Math.max(0, place.left - last.right)
    }
    function close() {
        clearTimeout(closing)
        if (shown.contains(document.activeElement)) words.focus()
        shown.replaceChildren()
    }
    function closeSoon() {
        clearTimeout(closing) // the pointer and the focus may both have left
        closing = setTimeout(close, PATIENCE + far)
    }

    // who goes on by Tab is not kept waiting, and nothing covers where the focus is
    function leave({ relatedTarget: next }) {
        const isKept = !next || [words, shown].some(part => part.contains(next) || part.matches(':hover'))
        if (isKept) closeSoon()
        else close()
    }

    for (const part of [words, shown]) {
        part.addEventListener('pointerenter', open)
        part.addEventListener('pointerleave', closeSoon)
        part.addEventListener('focusin', open)
        part.addEventListener('focusout', leave)
    }
    addEventListener('keydown', event => event.key === 'Escape' && close())
    addEventListener('pointerdown', ({ target }) => words.contains(target) || shown.contains(target) || close())
    words.addEventListener('click', event => {
        event.preventDefault()
        if (!event.detail && shown.hasChildNodes()) link.click() // by Enter, of who has heard what it says
        else open()
    })
    link.addEventListener('click', () => {
        close()
        if (location.hash === leads) setTimeout(() => dispatchEvent(new Event('hashchange'))) // it is shown again
    })
}
