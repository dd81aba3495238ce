// Slides: keys lead to the next one and back, wherever they aren't a control's own.

const STEPS = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 }
const slides = [...document.querySelectorAll('section')]

// The slide whose beginning is nearest to the top of the screen.
function shown() {
    const distances = slides.map(slide => Math.abs(slide.getBoundingClientRect().top))
    return distances.indexOf(Math.min(...distances))
}

addEventListener('keydown', event => {
    const step = STEPS[event.key]
    const { altKey, ctrlKey, metaKey, shiftKey, target } = event
    if (!step || altKey || ctrlKey || metaKey || shiftKey) return
    if (target.closest('input, select') || (event.key === ' ' && target.closest('button, summary, a'))) return
    event.preventDefault()
    slides[Math.max(0, Math.min(shown() + step, slides.length - 1))].scrollIntoView()
})
