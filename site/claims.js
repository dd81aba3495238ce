// Words that can be asked, by pointer, tap or focus. A claim's show the value as it was recomputed when the pages
// were made, and lead to the line of code that did it; a term's say what it means, and lead to where that is said;
// those that name a source show its entry in the list of sources. Without JavaScript the words lead there themselves.

import { element } from './live_figures/recording.js'

const GAP = 4 // pixels between the words and what they show
const PATIENCE = 250 // milliseconds in which the pointer may go from the words to what they show

export function startClaims() {
    for (const words of document.querySelectorAll('a.claim, a.term, a.source')) startClaim(words)
}

function startClaim(words) {
    const value = words.title
    words.removeAttribute('title')
    const { leads = words.getAttribute('href') } = words.dataset
    const entry = words.matches('.source') && document.querySelector(leads)
    const { place = entry ? 'all sources' : 'the code' } = words.dataset
    const link = element('a', { href: leads }, place)
    const shown = element('span', { class: 'claim-value', role: 'status' })
    words.after(shown)
    let closing = null

    function open() {
        clearTimeout(closing)
        if (shown.hasChildNodes()) return
        shown.append(...(entry ? entry.cloneNode(true).childNodes : [value]), ' · ', link)
        const room = document.documentElement.clientWidth - 8
        shown.style.marginLeft = '0'
        shown.style.translate = ''
        const { top, right } = shown.getBoundingClientRect()
        shown.style.marginLeft = `${Math.min(0, room - right)}px`
        // above the words, over what was read already; below them where there is no room
        const lines = words.getClientRects()
        const above = lines[0].top - GAP - shown.offsetHeight
        const least = document.querySelector('.bd-header-article')?.getBoundingClientRect().bottom ?? 0
        shown.style.translate = `0 ${(above >= least ? above : lines[lines.length - 1].bottom + GAP) - top}px`
    }
    function close() {
        clearTimeout(closing)
        if (shown.contains(document.activeElement)) words.focus()
        shown.replaceChildren()
        shown.style.marginLeft = '' // it stands in the line, and would pull what follows over it
    }
    function closeSoon() {
        clearTimeout(closing) // the pointer and the focus may both have left
        closing = setTimeout(close, PATIENCE)
    }

    for (const part of [words, shown]) {
        part.addEventListener('pointerenter', open)
        part.addEventListener('pointerleave', closeSoon)
        part.addEventListener('focusin', open)
        part.addEventListener('focusout', closeSoon)
    }
    addEventListener('keydown', event => event.key === 'Escape' && close())
    addEventListener('pointerdown', ({ target }) => words.contains(target) || shown.contains(target) || close())
    words.addEventListener('click', event => {
        event.preventDefault()
        open()
    })
    link.addEventListener('click', () => {
        close()
        if (location.hash === leads) setTimeout(() => dispatchEvent(new Event('hashchange'))) // it is shown again
    })
}
