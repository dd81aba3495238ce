// The live figures of the site: recordings that begin when a reader comes near them. And its doors.

import { play } from './live_figures/page.js'
import { startClaims } from './claims.js'
import { named, printedAnswers, startContinue, startPredictions } from './predictions.js'
import { element, mount } from './live_figures/recording.js'
import { startSearch } from './search.js'
import { startWords } from './words.js'

async function start(figure) {
    if (figure.dataset.isLive) return
    figure.dataset.isLive = true
    const { recording, narrow, colab } = figure.dataset
    try {
        const kernel = colab ? { name: 'Colab', address: colab } : null
        if (await mount(figure, recording, play, kernel, narrow)) figure.scrollIntoView()
    } catch (error) {
        const again = element('button', { type: 'button' }, 'Try again')
        const problem = element('p', { role: 'alert' }, `The sliders could not be loaded: ${error.message} `, again)
        const retry = () => {
            removeEventListener('online', retry)
            problem.remove()
            delete figure.dataset.isLive
            start(figure)
        }
        again.addEventListener('click', retry)
        addEventListener('online', retry) // the network is back
        figure.append(problem)
    }
}

// Each section of "Going deeper" is folded; an address that names it, or a thing in it, opens it.
for (const part of document.querySelectorAll('#going-deeper > section')) {
    const summary = element('summary', {})
    summary.append(part.querySelector(':scope > h3'))
    const door = element('details', { class: 'door' })
    door.append(summary, ...part.childNodes)
    part.append(door)
}

function openDoor() {
    const place = named()
    const door = place?.querySelector(':scope > .door') ?? place?.closest('.door')
    if (door && !door.open) {
        door.open = true
        place.scrollIntoView()
    }
}

// On paper nothing is folded but the code that draws. Answers stand at the end, and a figure says where it moves.
const folded = []
const printed = []
addEventListener('beforeprint', () => {
    printed.push(...printedAnswers())
    document.querySelector('.bd-article')?.append(...printed)
    const figure = document.querySelector('.live-figure')
    if (figure && location.protocol.startsWith('http')) {
        printed.push(element('p', { class: 'printed-address' }, `It moves on the page: ${location.href.split('#')[0]}`))
        figure.before(printed.at(-1))
    }
    folded.push(...document.querySelectorAll('details:not([open], .hide)'))
    for (const fold of folded) fold.open = true
    for (const formula of formulas) formula.style.setProperty('--width', widthOf(formula))
})
addEventListener('afterprint', () => {
    for (const fold of folded.splice(0)) fold.open = false
    for (const part of printed.splice(0)) part.remove()
})

// How wide a formula is, in its letters' size. The style makes it as small as the paper asks.
function widthOf(formula) {
    const [range, letters] = [document.createRange(), formula.querySelector('.katex-html')]
    range.selectNodeContents(letters)
    return range.getBoundingClientRect().width / parseFloat(getComputedStyle(letters).fontSize)
}

startPredictions()
startClaims()
openDoor()
addEventListener('hashchange', openDoor)

// A formula that is wider than its place becomes smaller, as far as it can still be read; then it scrolls, and
// keys reach it.
const LEAST = 0.7

function fit(formula) {
    const isCut = () => formula.scrollWidth > formula.clientWidth
    formula.style.fontSize = ''
    for (let size = 1; isCut() && size > LEAST; formula.style.fontSize = `${size}em`)
        size = Math.max(LEAST, (size * formula.clientWidth) / formula.scrollWidth - 0.01)
    for (const [name, value] of Object.entries({ tabindex: 0, role: 'group', 'aria-label': 'Formula' }))
        if (isCut()) formula.setAttribute(name, value)
        else formula.removeAttribute(name)
}

const formulas = document.querySelectorAll('.katex-display')
const places = new ResizeObserver(entries => entries.forEach(({ target }) => fit(target)))
for (const formula of formulas) places.observe(formula)
document.fonts.addEventListener('loadingdone', () => formulas.forEach(fit)) // its letters had other widths before

// Figures begin when they come near the screen, and at once if the address asks for them.
const watch = new IntersectionObserver(
    entries => {
        for (const { isIntersecting, target } of entries)
            if (isIntersecting) {
                watch.unobserve(target)
                start(target)
            }
    },
    { rootMargin: '800px' },
)
for (const figure of document.querySelectorAll('.live-figure'))
    if (location.hash === `#${figure.id}`) start(figure)
    else watch.observe(figure)

const words = document.querySelector('form.words')
if (words) {
    startWords(words)
    startContinue(document.querySelector('.hero-continue'))
}

const results = document.getElementById('search-results')
if (results) startSearch(results)
