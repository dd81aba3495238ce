// An extension of JupyterLab, written as JupyterLab loads it, without a build.

// What waits for an answer: texts in cells after its question, but no question with its folds, and texts after the
// answers in their own cell.
const BLURRED = `[data-course-veiled] .jp-RenderedMarkdown > :not(h2, h3, blockquote, :is(h2, h3, blockquote) ~ *, p:has(+ details), details),
    [data-course-asks] .jp-RenderedMarkdown > details ~ :not(details, blockquote, h2, h3, details ~ :is(h2, h3) ~ *)`
const STYLE = `
    .jp-OutputCollapser, .jp-MarkdownCell .jp-InputCollapser { pointer-events: none } /* a slip hid texts, and figures */
    .jp-RenderedMarkdown details + :not(details) { margin-top: 1em }
    :is(${BLURRED}) { filter: blur(8px) }
    .course-cover {
        background: var(--jp-layout-color2); display: flex; gap: 2em; inset: 0; justify-content: center; position: absolute;
        z-index: 1
    }
    .course-cover > button {
        background: none; border: 0; color: inherit; cursor: pointer; font: inherit; padding: 0.3em 0.5em;
        text-decoration: underline
    }
    [data-jp-theme-light='false'] .widget-dropdown > select { appearance: auto; background-image: none; color-scheme: dark }
    [data-course-veiled] .jp-OutputArea { max-height: 2.5em; overflow: hidden; visibility: hidden } /* nor do keys reach it */
    [data-course-right] > summary::after { content: ' ✗ No, that is not right.'; font-weight: 600 }
    [data-course-right='true'] > summary::after { content: ' ✓' }
    [data-course-veiled] :is(.jp-RenderedMarkdown, .jp-Cell-outputWrapper) { cursor: pointer }
    .jp-Cell-outputWrapper { position: relative }
    .Toastify__toast-container--bottom-right { left: 1em; right: auto } /* over the list of files, not over a picture */
    .jp-showHiddenCellsButton::after { content: ': click to show' }
    [data-course-done] .jp-PlaceholderText, :is([data-course-done], [data-course-stale]) .jp-OutputArea-child { display: none }
    .jp-RenderedText pre { overflow-wrap: anywhere; word-break: normal }
    [data-course-done] .jp-Placeholder-contentContainer::before {
        content: 'Set-up: all cells have run, so pictures move and answers are checked';
        font-family: var(--jp-code-font-family)
    }
    .jp-CodeCell:not([data-course-ran]) .course-verdict { filter: grayscale(1); opacity: 0.6 }
    .jp-CodeCell:not([data-course-ran]) .course-verdict::after { content: ' (stored: run your answer, or press “Check”, to check again)' }
`
const MARK = '# @title ' // for Colab, which shows the words behind it

// A folded cell shows the first line of its code: here its title in words.
function showTitles(part) {
    for (const title of part.querySelectorAll?.('.jp-PlaceholderText') ?? [])
        if (title.textContent.startsWith(MARK)) title.textContent = title.textContent.slice(MARK.length)
}

// Code that a click on the blue bar shuts was often higher than the screen: its place stays on it.
function keepPlace({ target }) {
    const cell = target.closest?.('.jp-InputCollapser')?.closest('.jp-CodeCell')
    const view = cell?.closest('.jp-WindowedPanel-outer')
    if (view) setTimeout(() => view.getBoundingClientRect().top > cell.getBoundingClientRect().top && cell.scrollIntoView())
}

// The verdict on an exercise follows its answer once its cell has run in this page and this kernel: outputs were put
// below it one by one. Before, they are what was stored, and come with the cell.
function noteRun(outputs) {
    const cell = outputs.closest('.jp-CodeCell')
    if (!cell) return
    cell.dataset.courseRan = ''
    delete cell.dataset.courseStale
}

function forgetRuns({ sessionContext, node }) {
    sessionContext.statusChanged.connect((_, status) => {
        if (status !== 'restarting' && status !== 'autorestarting') return
        for (const cell of node.querySelectorAll('[data-course-ran]')) delete cell.dataset.courseRan
        const setUp = node.querySelector('[data-course-done]')
        if (!setUp) return
        delete setUp.dataset.courseDone
        setUp.dataset.courseStale = '' // what it printed is true no more
    })
}

function noteChanges(changes) {
    for (const { target, addedNodes } of changes)
        if (target.matches('.jp-PlaceholderText')) showTitles(target.parentNode)
        else if (target.matches('.jp-OutputArea') && addedNodes.length) noteRun(target)
        else
            for (const part of addedNodes) {
                showTitles(part)
                dropLinksToNowhere(part)
            }
}

// A double click on a fold would open the text that all answers stand in, and take the keys from it.
function keepShut(event) {
    if (event.target.closest?.('.jp-RenderedMarkdown details')) event.stopPropagation()
}

// A check that has not run since the page was loaded cannot follow, nor one that an error kept from running with all
// cells: it runs behind the cell of its answer.
function checkWith(panel) {
    const cells = () => [...panel.content.widgets]
    const tagsOf = cell => cell.model.getMetadata('tags') ?? []
    const watch = cell => {
        const number = /^exercise-(\d+)$/.exec(tagsOf(cell).find(tag => tag.startsWith('exercise-')))?.[1]
        if (!number || cell.model.type !== 'code') return
        cell.model.stateChanged.connect((_, { name, newValue }) => {
            const check = cells().find(other => tagsOf(other).includes(`check-${number}`))
            if (name !== 'executionCount' || !newValue || !check) return
            if (check.node.matches('[data-course-ran]:has(.course-verdict)')) return
            const isAsked = check.model.executionState === 'running' // with all cells
            if (!isAsked) check.constructor.execute(check, panel.sessionContext)
        })
    }
    cells().forEach(watch)
    // its title is pressed for that; its code has the answers
    const press = event => {
        const node = event.target.closest('.jp-Placeholder')?.closest('.jp-CodeCell')
        const check = node && cells().find(cell => cell.node === node)
        if (!check || !tagsOf(check).some(tag => tag.startsWith('check-'))) return
        event.stopPropagation()
        check.constructor.execute(check, panel.sessionContext)
    }
    panel.content.node.addEventListener('click', press, true)
}

// What comes after a prediction in its section is veiled until one of its answers was opened, then and on later visits:
// texts, and what code shows. Later questions can be read. Answers are found as they were left.
const ASKED = '.jp-MarkdownCell:has(.jp-RenderedMarkdown blockquote + details)'
function veil(panel) {
    const key = `course-page answers ${panel.context.path}`
    const opened = new Map(JSON.parse(localStorage.getItem(key) ?? '[]')) // [[question, [answer that is open, …]], …]
    const restored = new WeakSet() // answers; a text is rendered anew where it was edited
    const wordsOf = answer => answer.querySelector('summary').textContent
    const keep = (question, answers) => {
        opened.set(question, answers)
        localStorage.setItem(key, JSON.stringify([...opened]))
    }
    const questionOf = cell => cell.node.querySelector('blockquote')?.textContent.slice(0, 80)
    const show = () => {
        let question = null
        for (const cell of panel.content.widgets) {
            cell.node.toggleAttribute('data-course-veiled', Boolean(question) && !opened.has(question))
            const isAsked = cell.node.matches(ASKED)
            if (isAsked) question = questionOf(cell)
            for (const answer of isAsked ? cell.node.querySelectorAll('blockquote ~ details') : []) {
                if (!restored.has(answer) && opened.get(question)?.includes(wordsOf(answer))) answer.open = true
                restored.add(answer)
            }
            cell.node.toggleAttribute('data-course-asks', isAsked && !opened.has(question))
            if (isAsked) continue
            if (cell.node.querySelector('.jp-RenderedMarkdown :is(h2, h3)')) question = null
        }
        const { node } = panel.content
        for (const part of node.querySelectorAll('.jp-RenderedMarkdown > *')) part.inert = part.matches(BLURRED) // nor do keys reach it
        const isCovered = '[data-course-veiled] .jp-Cell-outputWrapper:has(.jp-OutputArea-child)'
        for (const cover of node.querySelectorAll('.course-cover')) if (!cover.parentNode.matches(isCovered)) cover.remove()
        for (const part of node.querySelectorAll(`${isCovered}:not(:has(.course-cover))`)) part.append(coverOf())
        for (const part of node.querySelectorAll('.jp-RenderedMarkdown'))
            part.title = part.querySelector(':scope > [inert]') ? 'Open an answer first: a click leads to the question' : ''
    }
    function coverOf() {
        const cover = Object.assign(document.createElement('div'), { className: 'course-cover' })
        const buttons = ['Open an answer first: go to the question', 'Show it now'].map(textContent =>
            Object.assign(document.createElement('button'), { textContent }),
        )
        buttons[1].addEventListener('click', event => {
            event.stopPropagation() // it leads nowhere
            const asked = askedBefore(cover)
            if (asked) keep(questionOf(asked), [])
            show()
        })
        cover.append(...buttons)
        return cover
    }
    function askedBefore(part) { // the cell whose question it waits for
        const at = panel.content.widgets.findIndex(({ node }) => node.contains(part))
        return panel.content.widgets.slice(0, at).findLast(({ node }) => node.matches(ASKED))
    }
    const open = ({ target }) => {
        const node = target.closest(ASKED)
        const cell = panel.content.widgets.find(each => each.node === node)
        if (!cell) return
        const question = questionOf(cell)
        const others = (opened.get(question) ?? []).filter(words => words !== wordsOf(target))
        if (target.open) keep(question, [...others, wordsOf(target)])
        else if (opened.has(question)) keep(question, others)
        if (!target.open) return
        let above = target
        while (above?.matches('details')) above = above.previousElementSibling
        const said = target.querySelector(':scope > :not(summary)')?.textContent
        if (above?.matches('blockquote')) target.dataset.courseRight = /^\s*Yes\b/.test(said)
        show()
    }
    panel.content.node.addEventListener('toggle', open, true)
    const lead = ({ target }) => { // from what is veiled to its question
        const part = target.closest('[data-course-veiled] :is(.jp-RenderedMarkdown, .jp-Cell-outputWrapper)')
        if (!part || target.closest('a, summary')) return
        const asked = askedBefore(part)
        if (!asked) return
        asked.node.querySelector('blockquote').scrollIntoView({ block: 'center' })
        asked.node.querySelector('blockquote + details > summary')?.focus({ preventScroll: true })
    }
    panel.content.node.addEventListener('click', lead)
    follow(panel, show)
}

const setUpOf = ({ widgets }) => widgets.find(({ model }) => model.sharedModel.getSource().startsWith(MARK + 'Set-up'))

// What the set-up said when it ran, in a page before this one, may be true no more.
function hideOldNews(panel) {
    const setUp = setUpOf(panel.content)
    const said = JSON.stringify(setUp?.outputArea?.model.toJSON() ?? '')
    if (said.includes(' is ready. ')) setUp.node.dataset.courseStale = ''
}

const LIVE = 'application/vnd.jupyter.widget-view+json'
const LOST = 'model not found' // ends what JupyterLab says then

// What is stored beside a picture says its data in words: those hear it who do not see the picture.
function sayPictures(panel) {
    follow(panel, () => {
        for (const { node, outputArea } of panel.content.widgets) {
            const pictures = [...node.querySelectorAll('.jp-RenderedImage img')].filter(picture => !picture.alt)
            const lost = [...node.querySelectorAll('.jp-OutputArea-output')].filter(({ textContent }) => textContent.endsWith(LOST))
            if (!outputArea || !(pictures.length || lost.length)) continue
            const outputs = Array.from({ length: outputArea.model.length }, (_, n) => outputArea.model.get(n).data)
            const stored = outputs.filter(data => data['image/png'])
            const textOf = data => String(data?.['text/plain'] ?? '')
            for (const output of lost) { // the kernel of which a figure was saved has ended
                const of = stored.find(data => LIVE in data)
                if (!of) continue
                const src = `data:image/png;base64,${of['image/png']}`
                const picture = Object.assign(document.createElement('img'), { src, alt: textOf(of) })
                picture.style.maxWidth = '100%'
                output.replaceChildren(picture)
            }
            pictures.forEach((picture, n) => (picture.alt = textOf(stored[n])))
        }
    })
}

// Do this now, and when something was added to a notebook: texts are rendered one by one, and captions change often.
function follow(panel, act) {
    let timer = null
    const later = () => (timer ??= setTimeout(() => act((timer = null)), 200))
    new MutationObserver(later).observe(panel.content.node, { childList: true, subtree: true })
    act()
}

// A link to a section of the same notebook leads back, too.
function offerBack(app) {
    let back = null
    let told = null // the notice of the link before
    app.commands.addCommand('course-page:back', { label: 'Back', execute: () => back?.() })
    document.addEventListener('click', ({ target }) => {
        const link = target.closest?.('.jp-RenderedMarkdown a[href^="#"]')
        const view = link?.closest('.jp-WindowedPanel-outer')
        if (!view) return
        const place = view.scrollTop
        back = () => view.scrollTo({ top: place })
        const name = CSS.escape(decodeURIComponent(link.hash.slice(1)))
        const heading = view.querySelector(`[data-jupyter-id="${name}"]`)
        heading?.closest('.jp-Cell').querySelector('.jp-showHiddenCellsButton')?.click() // a section that is folded
        const actions = [{ label: 'Back', commandId: 'course-page:back' }]
        const message = `Back to where “${link.textContent.trim()}” stands?`
        told?.then(id => app.commands.execute('apputils:dismiss-notification', { id }))
        told = app.commands.execute('apputils:notify', { message, type: 'default', options: { autoClose: false, actions } })
    }, true)
}

// Without a network a badge is a link in words; where nobody has said yet where the course is, there is none.
function showWords({ target }) {
    if (target.matches?.('.jp-RenderedMarkdown a > img')) target.replaceWith(target.alt)
}

function dropLinksToNowhere(part) {
    for (const link of part.querySelectorAll?.('.jp-RenderedMarkdown a[href*="/OWNER/"]') ?? []) {
        const before = link.previousSibling
        if (before?.nodeType === Node.TEXT_NODE) before.data = before.data.replace(/ · $/, '')
        link.remove()
    }
}

// "Run All Cells" leads to the last cell. Here one stays where one reads, and is told when all have run, or which failed.
function stayWhileAllRun(app) {
    const repeated = new WeakSet() // notebooks
    const tell = (message, type) => app.commands.execute('apputils:notify', { message, type, options: { autoClose: 5000 } })
    app.commands.commandExecuted?.connect(async (_, { id, result }) => {
        const notebook = app.shell.currentWidget?.content
        if (id !== 'notebook:run-all-cells' || !notebook?.widgets) return
        const view = notebook.outerNode
        const { top } = view.getBoundingClientRect()
        const first = notebook.widgets.findIndex(cell => cell.isVisible && cell.node.getBoundingClientRect().bottom > top)
        const place = view.scrollTop
        const setUp = setUpOf(notebook)
        if (setUp) delete setUp.node.dataset.courseDone
        const stay = () => (view.scrollTop = place)
        stay()
        requestAnimationFrame(stay)
        const hasRun = await result
        const isError = ({ output_type: kind }) => kind === 'error'
        const failed = hasRun ? -1 : notebook.widgets.findIndex(cell => cell.outputArea?.model.toJSON().some(isError))
        notebook.activeCellIndex = Math.max(0, failed < 0 ? first : failed)
        for (const wait of failed < 0 ? [] : [0, 500]) // cells above may still become higher
            setTimeout(() => notebook.scrollToItem(failed, 'center'), wait)
        const isLeft = ({ model }) => model.type === 'code' && model.sharedModel.getSource().trim() && !model.executionCount
        if (hasRun && notebook.widgets.some(isLeft)) { // Python was still starting, and knew of none
            const isElsewhere = app.shell.currentWidget?.content !== notebook // another would run
            if (isElsewhere || repeated.has(notebook)) return tell('Not all cells have run: run all cells again.', 'warning')
            repeated.add(notebook)
            app.commands.execute('notebook:run-all-cells')
        } else if (!hasRun && failed < 0) tell('Not all cells have run.', 'warning') // there is no kernel, perhaps
        else if (hasRun) {
            if (setUp) setUp.node.dataset.courseDone = '' // its title asked for that
            tell('All cells have run: pictures move now. Covered ones open with an answer.', 'success')
        }
        else tell('This cell stopped with an error: mend it, and run all cells again. Those below it did not run.', 'warning')
    })
}

const plugin = {
    id: 'course-page:plugin',
    autoStart: true,
    activate(app) {
        const seen = new WeakSet()
        app.shell.currentChanged?.connect((_, { newValue: panel }) => {
            if (!panel?.sessionContext || seen.has(panel)) return
            seen.add(panel)
            forgetRuns(panel)
            panel.context.ready.then(() => {
                checkWith(panel)
                hideOldNews(panel)
                veil(panel)
                sayPictures(panel)
            })
        })
        document.head.append(Object.assign(document.createElement('style'), { textContent: STYLE }))
        document.addEventListener('error', showWords, true)
        document.addEventListener('dblclick', keepShut, true)
        document.addEventListener('click', keepPlace, true)
        stayWhileAllRun(app)
        offerBack(app)
        new MutationObserver(noteChanges).observe(document.body, { childList: true, subtree: true })
        showTitles(document)
    },
}

window._JUPYTERLAB ??= {}
window._JUPYTERLAB['course-page'] = { init() {}, get: async () => () => ({ __esModule: true, default: plugin }) }
