// Slides: keys lead to the next one and back, and type shrinks until a slide fits its screen.

const STEPS = {
    ArrowRight: 1,
    ArrowDown: 1,
    PageDown: 1,
    ' ': 1,
    ArrowLeft: -1,
    ArrowUp: -1,
    PageUp: -1,
    Home: -Infinity,
    End: Infinity,
}
const SMALLEST = 0.6 // of the size of type
const slides = [...document.querySelectorAll('section')]

// ── The keys ──

// The slide whose beginning is nearest to the top of the screen.
function shown() {
    const distances = slides.map(slide => Math.abs(slide.getBoundingClientRect().top))
    return distances.indexOf(Math.min(...distances))
}

// Controls that were reached by Tab keep the keys that they need; the others go on.
function isKept(key, target) {
    if (key.startsWith('Page')) return false
    if (key === ' ') return target.matches('input[type=checkbox], select')
    return target.matches('input, select')
}

addEventListener('keydown', event => {
    const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event
    const step = STEPS[key]
    if (!step || altKey || ctrlKey || metaKey || shiftKey || isKept(key, target)) return
    event.preventDefault()
    slides[Math.max(0, Math.min(shown() + step, slides.length - 1))].scrollIntoView()
})

// What was moved by pointer gives the focus back; a menu keeps it until something was chosen.
let isPointed = false
addEventListener('pointerdown', () => (isPointed = true), true)
addEventListener('keydown', ({ key }) => key === 'Tab' && (isPointed = false), true)
const giveBack = kind => () => isPointed && document.activeElement?.matches(kind) && document.activeElement.blur()
addEventListener('pointerup', giveBack('input, button, summary'))
addEventListener('change', giveBack('input, select'))

// ── The size ──

// Whether a slide fits the screen, whichever of its answers is open.
function fits(slide) {
    const answers = [...slide.querySelectorAll('details')]
    const isHigh = () => slide.scrollHeight > innerHeight + 1
    const open = answers.filter(answer => answer.open)
    const found = [null, ...answers].some(answer => {
        for (const other of answers) other.open = other === answer
        return isHigh()
    })
    for (const answer of answers) answer.open = open.includes(answer)
    return !found && [...slide.querySelectorAll('table, pre')].every(part => part.scrollWidth <= part.clientWidth + 1)
}

// A formula that is wider than its column shrinks alone.
function fitFormulas(slide) {
    for (const formula of slide.querySelectorAll('.katex-display')) {
        formula.style.fontSize = ''
        const ratio = formula.clientWidth / formula.scrollWidth
        if (ratio < 1) formula.style.fontSize = `${Math.max(0.98 * ratio, 0.5)}em`
    }
}

function fit() {
    const isPhone = matchMedia('(max-width: 50rem)').matches
    for (const slide of slides) {
        for (let scale = 1; scale >= SMALLEST; scale -= 0.05) {
            slide.style.setProperty('--scale', isPhone ? 1 : scale)
            fitFormulas(slide)
            if (isPhone || fits(slide)) break
        }
    }
}

fit()
addEventListener('resize', fit)
addEventListener('load', fit)
document.fonts.addEventListener('loadingdone', fit)
