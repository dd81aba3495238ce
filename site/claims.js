// Words that can be asked, by pointer, tap or focus. A claim's show the value as it was recomputed when the pages
// were made, and lead to the line of code that did it; a term's say what it means, and lead to where that is said;
// those that name a source show its entry in the list of sources. Without JavaScript the words lead there themselves.

import { element } from './live_figures/recording.js'

const GAP = 4 // pixels between the words and what they show
const PATIENCE = 250 // milliseconds in which the pointer may go from the words to what they show
const PICTURES = '.katex-display .base, img, canvas' // and formulas: they are left in sight where there is room above

let closeShown = () => {} // what is shown now: it makes way for the next at once

export function startClaims() {
    for (const words of document.querySelectorAll('a.claim, a.term, a.source')) startClaim(words)
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

    function open() {
        clearTimeout(closing)
        if (shown.hasChildNodes()) return
        const closeOther = closeShown
        closeShown = close
        closeOther()
        shown.append(...(entry ? entry.cloneNode(true).childNodes : [value]), ' · ', link)
        shown.style.translate = ''
        const { left, y, width, height } = shown.getBoundingClientRect()
        const least = document.querySelector('.bd-header-article')?.getBoundingClientRect().bottom ?? 0
        const isSeen = box => box.top >= least && box.bottom <= innerHeight
        // below the words; above them, over what was read already, if that leaves a formula or a picture in sight
        const x = Math.min(left, document.documentElement.clientWidth - 8 - width)
        const lines = words.getClientRects()
        const tops = [lines[lines.length - 1].bottom + GAP, lines[0].top - GAP - height]
        const boxes = tops.map(top => ({ left: x, top, right: x + width, bottom: top + height }))
        const box = boxes.find(box => isSeen(box) && !covers(box)) ?? boxes.find(isSeen) ?? boxes[0]
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
