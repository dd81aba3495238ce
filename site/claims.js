// Words that can be asked, by pointer, tap or focus. A claim's show the value as it was recomputed when the pages
// were made, and lead to the line of code that did it; a term's say what it means, and lead to where that is said;
// those that name a source show its entry in the list of sources. Without JavaScript the words lead there themselves.

import { element } from './live_figures/recording.js'

const GAP = 4 // pixels between the words and what they show
const PATIENCE = 400 // milliseconds in which the pointer may go from the words to what they show
const NEAR = 3 // lines below the words, as far as which their paragraph is left to be read

export function startClaims() {
    for (const words of document.querySelectorAll('a.claim, a.term, a.source')) startClaim(words)
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
        shown.append(...(entry ? entry.cloneNode(true).childNodes : [value]), ' · ', link)
        const room = document.documentElement.clientWidth - 8
        shown.style.marginLeft = '0'
        shown.style.translate = ''
        const { top, right } = shown.getBoundingClientRect()
        shown.style.marginLeft = `${Math.min(0, room - right)}px`
        // below the words, and below their paragraph where that ends soon; above them where there is no room
        const lines = words.getClientRects()
        const last = lines[lines.length - 1].bottom
        const end = words.closest('p, li, dd, td, summary, blockquote')?.getBoundingClientRect().bottom ?? last
        const isNear = end - last < NEAR * parseFloat(getComputedStyle(words.parentElement).lineHeight)
        const below = [Math.max(last, end), last].slice(isNear ? 0 : 1).map(bottom => bottom + GAP)
        const place = below.find(place => place + shown.offsetHeight <= innerHeight)
        shown.style.translate = `0 ${(place ?? lines[0].top - GAP - shown.offsetHeight) - top}px`
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
        if (!event.detail && shown.hasChildNodes()) link.click() // by Enter, of who has heard what it says
        else open()
    })
    link.addEventListener('click', () => {
        close()
        if (location.hash === leads) setTimeout(() => dispatchEvent(new Event('hashchange'))) // it is shown again
    })
}
