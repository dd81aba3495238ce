// Sheets of paper: a picture that would go to the next one, for want of a little room, is made smaller. Lines stand as
// close, and code is as small, as leaves the least empty. A last sheet of a few lines is pulled in.

const SHEET = { width: 672, height: 986 } // what the margins leave of A4, in pixels; on other paper little is won
const LEAST = 0.75 // of a picture's height
const EMPTY = 40 // of pixels at the foot of a sheet, fewer are no matter
const LINES = 0.25 // of the last sheet, which can be saved
const LEADINGS = [1.5, 1.46, 1.42] // from line to line, in letters' sizes
const PARTED = 4.5 // lines of a text, of which two may go with the code that it announces to the next sheet
const LONG = 3.5 // lines of a text, which may stand before its code has room, where else a hole would be
const HOLE = 0.2 // of a sheet
const CODES = [0.7, 0.66] // the size of letters in code
const PICTURES = '.cell_output :is(img, canvas)'
const BLOCKS = ':is(h1, h2, h3, p, li, pre, tr, summary, blockquote, img, canvas, .katex-display)'

/** As long as `measure` runs the page is laid out as on paper: sheets are columns, side by side. */
function onSheets(page, measure) {
    const changed = []
    for (const sheet of document.styleSheets)
        for (const { media } of sheet.cssRules) {
            if (!/print|screen/.test(media?.mediaText)) continue
            changed.push([media, media.mediaText])
            media.mediaText = /print/.test(media.mediaText) ? 'all' : 'not all'
        }
    const [style, place] = [page.getAttribute('style') ?? '', { left: scrollX, top: scrollY, behavior: 'instant' }]
    const size = `width: ${SHEET.width}px; max-width: none; height: ${SHEET.height}px`
    const columns = `display: block; columns: ${SHEET.width}px; column-gap: 0; column-fill: auto`
    page.setAttribute('style', `${style}; position: absolute; inset: 0 auto auto 0; ${size}; ${columns}`)
    try {
        measure()
    } finally {
        page.setAttribute('style', style)
        for (const [media, text] of changed) media.mediaText = text
        scrollTo(place)
    }
}

/** Where a block stands; of one on two sheets, its lines: its own box goes on to the foot of the first. */
function parts(block) {
    const whole = block.getClientRects()
    if (whole.length < 2) return whole
    const [range, texts] = [document.createRange(), document.createTreeWalker(block, NodeFilter.SHOW_TEXT)]
    const lines = []
    while (texts.nextNode()) {
        range.selectNode(texts.currentNode)
        lines.push(...range.getClientRects())
    }
    return lines
}

/** For each sheet, where the last thing on it ends. */
function ends(page) {
    const { left, top } = page.getBoundingClientRect()
    const found = []
    for (const block of page.querySelectorAll(BLOCKS)) {
        if (!block.checkVisibility()) continue
        for (const part of parts(block)) {
            const sheet = Math.round((part.left - left - 0.3 * SHEET.width) / SHEET.width)
            found[sheet] = Math.max(found[sheet] ?? 0, part.bottom - top)
        }
    }
    return found
}

const textsBeforeCells = page => [...page.querySelectorAll('p:has(+ .cell)')]

function linesOf(text) {
    return text.getBoundingClientRect().height / parseFloat(getComputedStyle(text).lineHeight)
}

/** Which sheet a block begins on. */
function sheetOf(page, block) {
    const left = block.getClientRects()[0].left - page.getBoundingClientRect().left
    return Math.floor((left + 1) / SHEET.width)
}

/** Into a large hole a long text goes without its code, if that leaves less empty. */
function fillHoles(page) {
    for (let sheet = 0; sheet < ends(page).length - 1; sheet += 1) {
        if (ends(page)[sheet] > (1 - HOLE) * SHEET.height) continue
        const next = textsBeforeCells(page).find(it => it.checkVisibility() && sheetOf(page, it) === sheet + 1)
        if (!next?.nextElementSibling.matches(':has(> .cell_input)') || linesOf(next) < LONG) continue
        const before = waste(page)
        next.classList.add('printed-before-code')
        if (waste(page) >= before) next.classList.remove('printed-before-code')
    }
}

/** Make a picture as small as the sheet before it asks; what does not bring it there is undone. */
function fitPicture(page, picture) {
    const sheet = sheetOf(page, picture)
    const { height } = picture.getBoundingClientRect()
    const group = picture.closest('.live-figure, .cell_output').getBoundingClientRect()
    const bottom = group.bottom - page.getBoundingClientRect().top
    const room = SHEET.height - (ends(page)[sheet - 1] ?? SHEET.height)
    if (room < EMPTY || bottom - room > (1 - LEAST) * height) return
    for (const least of [height - (bottom - room) - EMPTY / 2, LEAST * height]) {
        picture.style.setProperty('--height', `${Math.floor(Math.min(height, Math.max(least, LEAST * height)))}px`)
        if (sheetOf(page, picture) < sheet) return
    }
    picture.style.removeProperty('--height')
}

/** What is empty on the sheets, a large hole counting more than two small ones; the last may be so in part. */
function waste(page) {
    const filled = ends(page).map(end => end / SHEET.height)
    const last = filled.pop() < LINES ? 1 : 0
    return filled.reduce((sum, share) => sum + (1 - share) ** 2, last)
}

/**
 * Make a page fit its sheets, when all else is as it will be printed.
 * @param {HTMLElement} page what is printed
 */
export function fitSheets(page) {
    const fit = ([leading, code]) => {
        unfitSheets(page)
        page.querySelector('article').style.setProperty('--leading', leading)
        page.querySelector('article').style.setProperty('--code', `${code}rem`)
        for (const picture of page.querySelectorAll(PICTURES)) if (picture.checkVisibility()) fitPicture(page, picture)
    }
    onSheets(page, () => {
        for (const text of textsBeforeCells(page)) text.classList.toggle('printed-in-parts', linesOf(text) > PARTED)
        const ways = CODES.flatMap(code => LEADINGS.map(leading => [leading, code]))
        const wasted = ways.map(way => (fit(way), waste(page)))
        fit(ways[wasted.indexOf(Math.min(...wasted))])
        fillHoles(page)
        const before = ends(page)
        if (before.at(-1) > LINES * SHEET.height) return
        page.classList.add('tight')
        if (ends(page).length === before.length) page.classList.remove('tight')
    })
}

/** Undo it. */
export function unfitSheets(page) {
    page.classList.remove('tight')
    for (const name of ['--leading', '--code']) page.querySelector('article').style.removeProperty(name)
    for (const picture of page.querySelectorAll(PICTURES)) picture.style.removeProperty('--height')
    for (const text of textsBeforeCells(page)) text.classList.remove('printed-before-code')
}
