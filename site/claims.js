// Numbers that can be asked: pointer, tap or focus on a claim's words shows the value as it was recomputed when
// the pages were made, and leads to the cell that did it. Without JavaScript the words lead there themselves.

import { element } from './live_figures/recording.js'

const PATIENCE = 250 // milliseconds in which the pointer may go from the words to what they show

export function startClaims() {
    for (const words of document.querySelectorAll('a.claim')) startClaim(words)
}

function startClaim(words) {
    const value = words.title
    words.removeAttribute('title')
    const cell = element('a', { href: words.getAttribute('href') }, 'the cell')
    const shown = element('span', { class: 'claim-value', role: 'status' })
    words.after(shown)
    let closing = null

    function open() {
        clearTimeout(closing)
        if (shown.hasChildNodes()) return
        shown.append(`${value} · `, cell)
        const room = document.documentElement.clientWidth - 8
        shown.style.marginLeft = '0'
        shown.style.marginLeft = `${Math.min(0, room - shown.getBoundingClientRect().right)}px`
    }
    const close = () => shown.replaceChildren()
    const closeSoon = () => (closing = setTimeout(close, PATIENCE))

    for (const part of [words, shown]) {
        part.addEventListener('pointerenter', open)
        part.addEventListener('pointerleave', closeSoon)
        part.addEventListener('focusin', open)
        part.addEventListener('focusout', closeSoon)
        part.addEventListener('keydown', event => event.key === 'Escape' && close())
    }
    words.addEventListener('click', event => {
        event.preventDefault()
        open()
    })
    cell.addEventListener('click', () => {
        const folded = document.querySelector(`${cell.getAttribute('href')} details.hide`)
        if (folded) folded.open = true
        close()
    })
}
