// Formulas are set when the figures near the screen have been drawn: setting them takes a second.
window.MathJax = {
    options: { processHtmlClass: 'tex2jax_process|mathjax_process|math|output_area' },
    startup: {
        async pageReady() {
            await window.figuresNearby
            return MathJax.startup.defaultPageReady()
        },
    },
}
