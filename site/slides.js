// Slides: keys lead to the next one and back, and type shrinks until a slide fits its screen.

import { fit } from './formulas.js'

const STEPS = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 }
const ENDS = { Home: -Infinity, End: Infinity } // at once: scrolling would show the answers on its way
// Type, beside its usual size: three sizes in all decks, 0.99 for a pixel or two, and smaller ones for small screens.
const SIZES = [1.45, 1.2, 1, 0.99, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6]
const NARROW = 35 // letters of a line
const GAPS = ['1.6em', '1.2em', '0.8em', '0.4em', '0em'] // between answers: the largest that has room
const slides = [...document.querySelectorAll('section')]

// ── The keys ──

// The slide whose beginning is nearest to the top of the screen.
function shown() {
    const distances = slides.map(slide => Math.abs(slide.getBoundingClientRect().top))
    return distances.indexOf(Math.min(...distances))
}

function go(step) {
    const next = slides[Math.max(0, Math.min(shown() + step, slides.length - 1))]
    next.scrollIntoView({ behavior: 'instant' })
    history.replaceState(history.state, '', `#${next.id}`) // a reload, or Back from a link, shows it again
}

// A button on each side of the counter, for a mouse.
const ways = document.createElement('nav')
ways.className = 'slide-ways'
ways.innerHTML = '<button aria-label="Previous slide">‹</button><button aria-label="Next slide">›</button>'
const [back, on] = ways.children
back.addEventListener('click', () => go(-1))
on.addEventListener('click', () => go(1))
document.querySelector('main').after(ways)
function disableAtEnds() {
    const at = shown()
    back.disabled = at === 0
    on.disabled = at === slides.length - 1
}
disableAtEnds()
addEventListener('scroll', disableAtEnds)

// Controls that were reached by Tab keep the keys that they need, and so does a formula that scrolls; not from a
// slide that is no longer shown.
function isKept(key, target) {
    if (key.startsWith('Page') || ![slides[shown()], ways].some(part => part.contains(target))) return false
    if (key === ' ') return target.matches('input:is([type=checkbox], [type=radio]), select, button, summary')
    if (isPointed && target.matches('[type=range]')) return /Left|Right|Home|End/.test(key)
    return target.matches('input, select') || (target.matches('.katex-display') && /Left|Right/.test(key))
}

addEventListener('keydown', event => {
    const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event
    const step = STEPS[key] ?? ENDS[key]
    if (!step || altKey || ctrlKey || metaKey || shiftKey || isKept(key, target)) return
    event.preventDefault()
    go(step)
})

// Escape leaves a control: the slide has the keys again.
addEventListener('keydown', ({ key, target }) => {
    if (key === 'Escape' && target.closest?.('section, nav')) slides[shown()].focus({ preventScroll: true })
})

// Tab goes round what the slide that is shown has to be used, and the two buttons, wherever the focus was; other
// keys lead on.
for (const slide of slides) slide.tabIndex = -1
addEventListener('keydown', event => {
    if (event.key !== 'Tab' || event.altKey || event.ctrlKey || event.metaKey) return
    disableAtEnds() // the page may have scrolled since its last event
    const own = slides[shown()].querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')
    const found = [...own, ...ways.children]
    const place = it => { // among them, and in a figure as its controls stand
        const part = it.closest('.live-controls > *')
        if (!part) return found.indexOf(it)
        return found.findIndex(other => part.parentElement.contains(other)) + getComputedStyle(part).order / 9
    }
    const used = found.filter(it => !it.disabled && it.checkVisibility())
    used.sort((one, other) => place(one) - place(other))
    const at = used.indexOf(document.activeElement)
    const next = event.shiftKey ? Math.max(at, 0) - 1 : (at + 1) % used.length
    event.preventDefault()
    used.at(next)?.focus({ preventScroll: true })
})

// What is no longer seen has no focus: Enter would follow a link of a slide that was left.
addEventListener('scroll', () => {
    const { top, bottom } = document.activeElement.getBoundingClientRect()
    if (document.activeElement.closest('section') && (bottom <= 0 || top >= innerHeight)) document.activeElement.blur()
})

// What was moved by pointer gives the focus back; a menu keeps it until something was chosen, and a slider to be
// moved on by a step: up and down still lead to the next slide and back.
let isPointed = false
addEventListener('pointerdown', () => (isPointed = true), true)
addEventListener('keydown', ({ key }) => key === 'Tab' && (isPointed = false), true)
const giveBack = kind => () => isPointed && document.activeElement?.matches(kind) && document.activeElement.blur()
addEventListener('pointerup', giveBack('input:not([type=range]), button, summary'))
addEventListener('change', giveBack('input:not([type=range]), select'))

// ── The size ──

// Whether a part, which scrolls, is wider than its room.
const isWide = part => part.scrollWidth > part.clientWidth + 1

// Whether a slide fits the screen, whichever of its answers is open, and no formula is much smaller than its text.
function fits(slide) {
    const sizes = [...slide.querySelectorAll('.katex-display')].map(formula => fit(formula, SIZES.at(-1)))
    const answers = [...slide.querySelectorAll('details')]
    const opened = answers.filter(answer => answer.open)
    const open = some => answers.forEach(answer => (answer.open = some.includes(answer)))
    const isLow = [[], ...answers.map(answer => [answer])].every(some => {
        open(some)
        return slide.scrollHeight <= innerHeight + 1
    })
    open(opened)
    return isLow && ![...slide.querySelectorAll('table, pre')].some(isWide) && Math.min(1, ...sizes) > 0.75
}

// How a slide may be set, its words as large as possible: [their size, whether in the other of two arrangements].
// A question stands rather beside what it needs than below it, and what is printed, if it is narrow, beside the
// words that announce it.
function arrangements(slide) {
    const lines = slide.querySelector(':scope > pre')?.textContent.split('\n').map(line => line.length) ?? []
    const isPrinted = slide.matches('.slide-words') && lines.length > 0 && Math.max(...lines) <= NARROW
    const hasOther = !slide.matches('.slide-words:not(:has(> pre, > picture))')
    const sizes = slide.querySelector(':scope > picture, .live-figure') ? SIZES.filter(size => size <= 1) : SIZES
    return sizes.flatMap(size => (hasOther ? [[size, isPrinted], [size, !isPrinted]] : [[size, false]]))
}

// A picture is as large as possible, its controls above it or beside it. Words of an earlier notebook go before
// letters get smaller.
function fitAll() {
    const isPhone = matchMedia('(max-width: 50rem)').matches
    for (const slide of slides) {
        const set = ([scale, isOther]) => {
            slide.style.setProperty('--scale', scale)
            slide.classList.toggle('slide-lines', scale > 0.99)
            slide.classList.toggle(slide.matches('.slide-question') ? 'slide-stacked' : 'slide-beside', isOther)
            return fits(slide)
        }
        slide.style.removeProperty('--gap')
        const tries = isPhone ? [[1, false]] : arrangements(slide)
        const isWhole = () => [...slide.querySelectorAll('th')].every(it => it.clientHeight < 2.4 * letters(it))
        const words = slide.querySelector('dl')
        if (words) words.hidden = false
        // no table's head has two lines for letters that are larger than usual
        let found = tries.find(way => way[0] >= 1 && set(way) && isWhole()) ?? tries.find(set)
        if (words && !isPhone && !(found?.[0] > 0.98)) {
            words.hidden = true
            found = tries.find(set)
        }
        found ??= tries.at(-1)
        const [above, beside] = [false, true].map(isOther => set([found[0], isOther]) && pictureOf(slide))
        set(pictureOf(slide) && !isPhone ? [found[0], beside > above] : found)
        placeAnswer(slide)
        for (const table of slide.querySelectorAll('table')) table.toggleAttribute('data-wide', isWide(table))
        if (isPhone || !slide.matches('.slide-question')) continue
        GAPS.find(gap => {
            slide.style.setProperty('--gap', gap)
            return fits(slide)
        })
    }
}

const letters = it => parseFloat(getComputedStyle(it).fontSize)

// The opened answer of a live figure's task stands where the caption does.
function placeAnswer(slide) {
    const caption = slide?.querySelector('.live-caption')
    if (caption) slide.style.setProperty('--caption', `${caption.getBoundingClientRect().top - slide.getBoundingClientRect().top}px`)
}
addEventListener('toggle', ({ target }) => placeAnswer(target.closest('.slide-figure')), true)

// How high a slide's picture is drawn; 0: it has none, or none yet.
function pictureOf(slide) {
    const picture = slide.querySelector('canvas, :scope > picture > img')
    if (!picture?.matches('img')) return picture?.clientHeight ?? 0
    const { clientWidth, clientHeight, naturalWidth, naturalHeight } = picture
    return naturalWidth && Math.min(clientHeight, (clientWidth * naturalHeight) / naturalWidth)
}

// A button that is named as a choice of the figure's menu leaves its room to the picture.
function hideRepeated(figure) {
    const named = new Set([...figure.querySelectorAll('option')].map(option => option.text))
    for (const button of figure.querySelectorAll('.live-tour button')) if (named.has(button.textContent)) button.hidden = true
}

// ── Dark or light, as the reader chose on the pages, or chooses here by the button or the key D ──

const root = document.documentElement
const switchButton = document.createElement('button')
const byKey = matchMedia('(hover: none)').matches ? '' : ' (key D)' // a phone has none
const nameSwitch = () => (switchButton.textContent = (root.dataset.theme === 'dark' ? 'Light' : 'Dark') + byKey)
function switchTheme() {
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark'
    for (const name of ['mode', 'theme']) localStorage.setItem(name, root.dataset.theme) // as the pages' switch keeps it
    nameSwitch()
}
nameSwitch()
switchButton.addEventListener('click', switchTheme)
document.querySelector('.slide-keys')?.append(switchButton)
addEventListener('keydown', ({ key, altKey, ctrlKey, metaKey, target }) => {
    if (key.toLowerCase() !== 'd' || altKey || ctrlKey || metaKey || target.matches('select, input[type=text]')) return
    switchTheme()
})

fitAll()
addEventListener('resize', fitAll)
addEventListener('load', fitAll)
addEventListener('load', () => slides.find(({ id }) => `#${id}` === location.hash)?.scrollIntoView({ behavior: 'instant' }))
document.fonts.addEventListener('loadingdone', fitAll)
const watch = new MutationObserver(found => { // the controls of a figure come late
    for (const { target } of found) hideRepeated(target)
    fitAll()
})
for (const figure of document.querySelectorAll('.live-figure')) watch.observe(figure, { childList: true })
