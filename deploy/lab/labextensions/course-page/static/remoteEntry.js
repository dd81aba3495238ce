// An extension of JupyterLab, written as JupyterLab loads it, without a build.

const STYLE = '.jp-RenderedMarkdown details + :not(details) { margin-top: 1em }'
const MARK = '# @title ' // for Colab, which shows the words behind it

// A folded cell shows the first line of its code: here its title in words.
function showTitles(part) {
    for (const title of part.querySelectorAll?.('.jp-PlaceholderText') ?? [])
        if (title.textContent.startsWith(MARK)) title.textContent = title.textContent.slice(MARK.length)
}

function follow(changes) {
    for (const { target, addedNodes } of changes)
        if (target.matches('.jp-PlaceholderText')) showTitles(target.parentNode)
        else addedNodes.forEach(showTitles)
}

// A badge that cannot be loaded, without a network, is a link in words.
function showWords({ target }) {
    if (target.matches?.('.jp-RenderedMarkdown a > img')) target.replaceWith(target.alt)
}

const plugin = {
    id: 'course-page:plugin',
    autoStart: true,
    activate() {
        document.head.append(Object.assign(document.createElement('style'), { textContent: STYLE }))
        document.addEventListener('error', showWords, true)
        new MutationObserver(follow).observe(document.body, { childList: true, subtree: true })
        showTitles(document)
    },
}

window._JUPYTERLAB ??= {}
window._JUPYTERLAB['course-page'] = { init() {}, get: async () => () => ({ __esModule: true, default: plugin }) }
