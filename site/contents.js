// The contents beside a page: the entry of the section that is on the screen is marked.
//
// The theme's own mark follows the headings that come into sight, and stays wrong where none does: when a reader
// scrolls back into a long section, or when answers and doors make the page longer or shorter.

const LINE = 0.3 // of the screen's height: a section begins where its heading is above it
const AROUND = 120 // pixels above and below an entry in the list

/**
 * The number of the heading that the screen shows: the last above the line, at the end of the text the last in sight,
 * or, while it is in sight, the one that was `asked` for, which may not get so high there.
 * @param {(number | null)[]} tops  of the headings, in pixels below the screen's top; null: it is in a closed fold
 * @param {number} height  of the screen
 * @param {number} asked
 * @param {boolean} isEnd  whether the end of the text is in sight
 */
export function current(tops, height, asked = -1, isEnd = false) {
    const top = tops[asked] ?? null
    if (top !== null && top >= 0 && top < height) return asked
    return tops.findLastIndex(top => top !== null && top <= (isEnd ? 1 : LINE) * height)
}

// The entry is in sight in the list, which may be longer than the screen, with some of those around it.
function showIn(list, entry) {
    if (!list) return
    const [box, { top, bottom }] = [list.getBoundingClientRect(), entry.getBoundingClientRect()]
    list.scrollTop += Math.max(0, bottom + AROUND - box.bottom) || Math.min(0, top - AROUND - box.top)
}

// The next stop of the Tab key is the first after this place, which has no ring of its own.
function goOnAt(place) {
    place.tabIndex = -1
    place.focus({ preventScroll: true })
    place.blur()
    place.removeAttribute('tabindex')
}

export function startContents() {
    const themes = document.querySelector('#pst-page-toc-nav')
    if (!themes) return
    const nav = themes.cloneNode(true)
    themes.replaceWith(nav) // the theme marks the entries of the other from now on
    const links = [...nav.querySelectorAll('a')]
    const headings = links.map(link => {
        const place = document.getElementById(decodeURIComponent(link.hash.slice(1)))
        return place?.querySelector('h1, h2, h3, h4, h5, h6') ?? place
    })
    const topOf = heading => (heading?.checkVisibility() ? heading.getBoundingClientRect().top : null)
    const article = document.querySelector('.bd-article')
    let asked = -1
    let isWaiting = false
    let last = null // that was marked: the reader may scroll the list since
    const mark = () => {
        isWaiting = false
        const isEnd = scrollY > 0 && article.getBoundingClientRect().bottom <= innerHeight
        const now = links[current(headings.map(topOf), innerHeight, asked, isEnd)]
        for (const link of links) {
            link.classList.toggle('active', link === now)
            if (link === now) link.setAttribute('aria-current', 'true')
            else link.removeAttribute('aria-current')
        }
        for (const entry of nav.querySelectorAll('.toc-entry')) entry.classList.toggle('active', entry.contains(now ?? null))
        if (now !== last && now?.checkVisibility()) showIn(nav.closest('.bd-sidebar-secondary'), now)
        last = now
    }
    const markSoon = () => {
        if (!isWaiting) requestAnimationFrame(mark)
        isWaiting = true
    }
    const ask = () => {
        asked = links.findIndex(link => link.hash === location.hash && link.hash.length > 1)
        markSoon()
    }
    nav.addEventListener('click', () => setTimeout(ask)) // also where the address has this name already
    // On a narrow page they are in a dialog, which would cover the section that was chosen. When it closes, it gives
    // the focus back to its button; who chose goes on at the section.
    let chosen = null
    nav.addEventListener('click', ({ target }) => {
        const dialog = nav.closest('dialog')
        chosen = dialog && target.closest('a')
        if (chosen) setTimeout(() => dialog.close()) // when the browser has gone there
    })
    document.querySelector('#pst-secondary-sidebar-modal')?.addEventListener('close', () => {
        const place = headings[links.indexOf(chosen)]
        chosen = null
        if (place) setTimeout(goOnAt, 0, place)
    })
    addEventListener('hashchange', ask)
    for (const event of ['wheel', 'touchmove', 'keydown']) addEventListener(event, () => (asked = -1), { passive: true })
    addEventListener('scroll', markSoon, { passive: true })
    addEventListener('resize', markSoon)
    new ResizeObserver(markSoon).observe(article)
    ask()
}
