// An extension of JupyterLab, written as JupyterLab loads it, without a build.

const STYLE = `
    .jp-OutputCollapser, .jp-MarkdownCell .jp-InputCollapser { pointer-events: none } /* a slip hid texts, and figures */
    .jp-RenderedMarkdown details + :not(details) { margin-top: 1em }
    .jp-CodeCell:not([data-course-ran]) .course-verdict { filter: grayscale(1); opacity: 0.6 }
    .jp-CodeCell:not([data-course-ran]) .course-verdict::after { content: ' (stored: run this cell to check again)' }
`
const MARK = '# @title ' // for Colab, which shows the words behind it

// A folded cell shows the first line of its code: here its title in words.
function showTitles(part) {
    for (const title of part.querySelectorAll?.('.jp-PlaceholderText') ?? [])
        if (title.textContent.startsWith(MARK)) title.textContent = title.textContent.slice(MARK.length)
}

// The verdict on an exercise follows its answer once its cell has run in this page and this kernel: outputs were put
// below it one by one. Before, they are what was stored, and come with the cell.
function noteRun(outputs) {
    const cell = outputs.closest('.jp-CodeCell')
    if (cell) cell.dataset.courseRan = ''
}

function forgetRuns({ sessionContext, node }) {
    sessionContext.statusChanged.connect((_, status) => {
        if (status !== 'restarting' && status !== 'autorestarting') return
        for (const cell of node.querySelectorAll('[data-course-ran]')) delete cell.dataset.courseRan
    })
}

function follow(changes) {
    for (const { target, addedNodes } of changes)
        if (target.matches('.jp-PlaceholderText')) showTitles(target.parentNode)
        else if (target.matches('.jp-OutputArea') && addedNodes.length) noteRun(target)
        else addedNodes.forEach(showTitles)
}

// A badge that cannot be loaded, without a network, is a link in words.
function showWords({ target }) {
    if (target.matches?.('.jp-RenderedMarkdown a > img')) target.replaceWith(target.alt)
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
        })
        document.head.append(Object.assign(document.createElement('style'), { textContent: STYLE }))
        document.addEventListener('error', showWords, true)
        new MutationObserver(follow).observe(document.body, { childList: true, subtree: true })
        showTitles(document)
    },
}

window._JUPYTERLAB ??= {}
window._JUPYTERLAB['course-page'] = { init() {}, get: async () => () => ({ __esModule: true, default: plugin }) }
