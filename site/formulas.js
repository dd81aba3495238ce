// Formulas on lines of their own that are wider than their place.

/**
 * Make a formula that is too wide smaller, as far as `least`, beside its usual size; one that is still too wide
 * scrolls, and keys reach it. The answer is the size that it would need.
 * @param {HTMLElement} formula
 * @param {number} least
 */
export function fit(formula, least) {
    const share = () => formula.clientWidth / Math.max(formula.scrollWidth, formula.clientWidth)
    formula.style.fontSize = ''
    let size = 1
    for (let now = share(); now < 1 && size > least; now = share()) {
        size = Math.max(least, size * now - 0.01)
        formula.style.fontSize = `${size}em`
    }
    const isCut = share() < 1
    for (const [name, value] of Object.entries({ tabindex: 0, role: 'group', 'aria-label': 'Formula' }))
        if (isCut) formula.setAttribute(name, value)
        else formula.removeAttribute(name)
    return size * share()
}

/** Do so whenever the place, or the letters, have become others. */
export function keepFitting(formulas, least) {
    const places = new ResizeObserver(entries => entries.forEach(({ target }) => fit(target, least)))
    for (const formula of formulas) places.observe(formula)
    document.fonts.addEventListener('loadingdone', () => formulas.forEach(formula => fit(formula, least)))
}
