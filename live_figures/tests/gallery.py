"""Small figures of every kind that matplotlib's gallery has: {name: (projection, a function of axes and t)}."""

# ruff: noqa: E501  # a line for a figure
import datetime

import matplotlib.patheffects as effects
import numpy as np
from matplotlib import colors, patches, ticker
from matplotlib.collections import (
    EllipseCollection,
    EventCollection,
    LineCollection,
    PatchCollection,
    RegularPolyCollection,
    StarPolygonCollection,
)
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.offsetbox import AnchoredText, AnnotationBbox, DrawingArea, OffsetImage, TextArea
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from matplotlib.tri import Triangulation

RANDOM = np.random.default_rng(0)
X = np.linspace(0, 2, 40)
PAIRS = RANDOM.random((40, 2))
SIZES = 20 + 300 * RANDOM.random(40)
MANY = RANDOM.random((4, 300))
GRID = RANDOM.random((8, 10))
SMOOTH = np.add.outer(np.sin(np.linspace(0, 3, 20)), np.cos(np.linspace(0, 4, 24)))
U, V = np.cos(SMOOTH), np.sin(SMOOTH)
SAMPLES = [RANDOM.normal(n, 1 + n / 3, 60) for n in range(3)]
TRIANGLES = Triangulation(*RANDOM.random((2, 25)))
DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=30 * n) for n in range(8)]
RING = np.linspace(0, 2 * np.pi, 40)
GALLERY = {}


def add(projection, **drawings):
    GALLERY.update({name: (projection, drawing) for name, drawing in drawings.items()})


def figure_of(name):
    """(a figure, a function that draws it for t from 0 to 1)"""
    projection, draw = GALLERY[name]
    figure = Figure(figsize=(3, 2.4), dpi=100)
    axes = figure.add_subplot(projection=projection)

    def update(t):
        for other in figure.axes[1:]:  # a colour bar, a twin
            other.remove()
        axes.clear()
        axes.set_position([0.15, 0.15, 0.7, 0.7])
        draw(axes, t)

    return figure, update


def do(*_):
    """Lets a lambda have several statements."""


def wave(t):
    return np.sin(4 * X + 3 * t)


add(
    None,
    line=lambda a, t: a.plot(X, wave(t)),
    lines_of_many_colours=lambda a, t: a.plot(X, np.outer(wave(t), range(1, 6))),
    line_with_gaps=lambda a, t: a.plot(X, np.where(abs(wave(t)) < 0.3, np.nan, wave(t)), lw=3),
    line_with_markers=lambda a, t: a.plot(X, wave(t), "o--", ms=5, mfc="none", markevery=3),
    line_dashed=lambda a, t: a.plot(X, wave(t), dashes=[4, 2, 1, 2], lw=3, dash_capstyle="round"),
    line_two_colours=lambda a, t: a.plot(X, wave(t), ls="--", gapcolor="gold", lw=4),
    line_of_steps=lambda a, t: a.plot(X, wave(t), drawstyle="steps-mid"),
    line_by_color_cycle=lambda a, t: do(
        a.set_prop_cycle(color="rgb"), a.plot(X, np.outer(wave(t), [1, 2, 3]))
    ),
    line_thick_joins=lambda a, t: a.plot([0, 1, 0.4, 2], [0, 1, t, 0], lw=12, solid_joinstyle="miter"),
    line_of_xkcd=lambda a, t: a.plot(X, wave(t))[0].set_sketch_params(2, 50, 4),
    line_outlined=lambda a, t: a.plot(X, wave(t), lw=3, path_effects=[effects.withStroke(linewidth=7)]),
    line_shadowed=lambda a, t: a.plot(
        X, wave(t), path_effects=[effects.SimpleLineShadow(), effects.Normal()]
    ),
    markers_filled_half=lambda a, t: a.plot(X[::4], wave(t)[::4], "s", ms=12, fillstyle="left"),
    markers_of_text=lambda a, t: a.plot(X[::4], wave(t)[::4], marker="$f$", ms=12, ls=""),
    markers_of_path=lambda a, t: a.plot(X[::4], wave(t)[::4], marker=Path.unit_regular_star(5), ms=15, ls=""),
    scatter=lambda a, t: a.scatter(*PAIRS.T * (1 + t)),
    scatter_sizes_and_colours=lambda a, t: a.scatter(
        *PAIRS.T, s=SIZES, c=SIZES * (1 + t), vmax=600, alpha=0.6
    ),
    scatter_edges=lambda a, t: a.scatter(*PAIRS.T, s=SIZES, fc="none", ec="C1", lw=1 + 2 * t),
    scatter_triangles=lambda a, t: a.scatter(
        *PAIRS.T, s=SIZES, marker="^", c=SIZES, cmap="plasma", vmax=300 + t
    ),
    scatter_bar=lambda a, t: a.figure.colorbar(
        a.scatter(*PAIRS.T, c=SIZES * (1 + t)), cax=a.inset_axes([1.05, 0, 0.05, 1])
    ),
    scatter_legend=lambda a, t: a.legend(*a.scatter(*PAIRS.T, c=np.arange(40) // 10 + t).legend_elements()),
    hexbin=lambda a, t: a.hexbin(*PAIRS.T, gridsize=int(8 + 4 * t)),
    hist2d=lambda a, t: a.hist2d(*PAIRS.T, bins=int(5 + 5 * t)),
    bar=lambda a, t: a.bar(range(4), [1, 2, 3 * t, 2]),
    bar_errors=lambda a, t: a.bar(
        "abc", [1, 2, 3 * t], yerr=[0.2, 0.5, 0.3], capsize=5, color=["r", "g", "b"]
    ),
    bar_stacked=lambda a, t: do(a.bar(range(3), [1, 2, t]), a.bar(range(3), [1, 1, 1], bottom=[1, 2, t])),
    bar_labels=lambda a, t: a.bar_label(a.bar(range(3), [1, 2, t]), fmt="%.2f", padding=2),
    bar_horizontal=lambda a, t: a.barh(["one", "two", "three"], [1, 2, 3 * t]),
    bar_hatched=lambda a, t: a.bar(range(3), [1, 2, 1 + t], hatch=["/", "o", "*"], ec="k"),
    bar_broken=lambda a, t: a.broken_barh([(0, 1 + t), (3, 1)], (0, 1), facecolors=["C0", "C3"]),
    bar_rounded=lambda a, t: a.add_patch(
        patches.FancyBboxPatch((0.2, 0.2), 0.5, 0.3 * t + 0.1, "round,pad=.1")
    ),
    hist=lambda a, t: a.hist(SAMPLES[0] * (1 + t), bins=12),
    hist_steps=lambda a, t: a.hist(SAMPLES, bins=int(8 + 4 * t), histtype="step", cumulative=True),
    hist_stacked=lambda a, t: a.hist(SAMPLES, bins=int(8 + 4 * t), stacked=True, label=list("abc")),
    ecdf=lambda a, t: a.ecdf(SAMPLES[0] * (1 + t)),
    stairs=lambda a, t: a.stairs([1, 2, t, 1.5], fill=True, alpha=0.4),
    step=lambda a, t: a.step(X, wave(t), where="post"),
    stem=lambda a, t: a.stem(X[::4], wave(t)[::4]),
    stackplot=lambda a, t: a.stackplot(X, abs(wave(t)), X, 1 + 0 * X, baseline="wiggle"),
    fill_between=lambda a, t: a.fill_between(
        X, wave(t), 0.3 * X, where=wave(t) > 0, alpha=0.4, interpolate=True
    ),
    fill_betweenx=lambda a, t: a.fill_betweenx(X, wave(t), hatch="x", fc="none", ec="C2"),
    fill=lambda a, t: a.fill(np.cos(RING), np.sin(RING) * (0.5 + t), fc="gold", ec="k", lw=3),
    errorbar=lambda a, t: a.errorbar(X[::5], wave(t)[::5], 0.3, 0.05, fmt="o", capsize=3, uplims=True),
    boxplot=lambda a, t: a.boxplot([s * (1 + t) for s in SAMPLES], notch=True, patch_artist=True),
    violinplot=lambda a, t: a.violinplot([s * (1 + t) for s in SAMPLES], showmedians=True),
    eventplot=lambda a, t: a.eventplot([np.sort(p) * (1 + t) for p in PAIRS.T], colors=["C0", "C1"]),
    pie=lambda a, t: a.pie([1, 2, 1 + t], labels=["a", "b", "c"], autopct="%.0f %%", explode=[0, 0.1, 0]),
    pie_shadow=lambda a, t: a.pie([1, 2, 1 + t], shadow=True, wedgeprops={"width": 0.4, "ec": "w"}),
    imshow=lambda a, t: a.imshow(GRID * (1 + t), vmax=1.5),
    imshow_smooth=lambda a, t: a.imshow(GRID, interpolation="bicubic", origin="lower", vmin=t / 2),
    imshow_rgb=lambda a, t: a.imshow(np.dstack([GRID, GRID * t, 1 - GRID])),
    imshow_alpha=lambda a, t: a.imshow(GRID, alpha=np.clip(GRID + t - 0.5, 0, 1), cmap="hot"),
    imshow_masked=lambda a, t: a.imshow(np.ma.masked_less(GRID, 0.3 + t / 3), cmap="cool"),
    imshow_extent=lambda a, t: do(a.imshow(GRID, extent=(0, 4, 1, 3), aspect="auto"), a.set_xlim(1 - t, 3)),
    imshow_turned=lambda a, t: a.imshow(GRID, transform=Affine2D().rotate_deg(30 * t + 5) + a.transData),
    imshow_lognorm=lambda a, t: a.imshow(GRID + 0.01, norm=colors.LogNorm(0.01, 1 + t)),
    imshow_bins=lambda a, t: a.imshow(GRID, norm=colors.BoundaryNorm([0, 0.2, 0.5 + t / 3, 1], 256)),
    imshow_annotated=lambda a, t: do(
        a.imshow(GRID[:3, :3]),
        [a.text(n, m, f"{GRID[m, n] + t:.1f}", ha="center", color="w") for n in range(3) for m in range(3)],
    ),
    matshow=lambda a, t: a.matshow(GRID, vmax=1 + t),
    spy=lambda a, t: a.spy(0.3 + 0.5 * t < GRID, markersize=5),
    spy_image=lambda a, t: a.spy(0.3 + 0.5 * t < GRID),
    pcolormesh=lambda a, t: a.pcolormesh(GRID * (1 + t), vmax=1.5),
    pcolormesh_edges=lambda a, t: a.pcolormesh(GRID, edgecolors=(t, 0, 0), linewidth=2),
    pcolormesh_uneven=lambda a, t: a.pcolormesh(np.arange(11.0) ** (1 + t), np.arange(9) ** 1.5, GRID),
    pcolormesh_gouraud=lambda a, t: a.pcolormesh(SMOOTH, vmax=1 + t, shading="gouraud"),
    pcolor=lambda a, t: a.pcolor(GRID, vmin=t / 2, ec="k"),
    pcolorfast=lambda a, t: a.pcolorfast(GRID, vmin=t / 2),
    contour=lambda a, t: a.clabel(a.contour(SMOOTH + t, levels=5), inline=True, fontsize=7),
    contour_dashed=lambda a, t: a.contour(SMOOTH - t, colors="k", linewidths=[1, 2, 3]),
    contourf=lambda a, t: a.figure.colorbar(
        a.contourf(SMOOTH + t, levels=7), cax=a.inset_axes([1.05, 0, 0.05, 1])
    ),
    contourf_hatched=lambda a, t: a.contourf(
        SMOOTH + t, levels=3, hatches=["/", "\\", None, "."], colors="none"
    ),
    tripcolor=lambda a, t: a.tripcolor(TRIANGLES, np.hypot(TRIANGLES.x, TRIANGLES.y) + t, vmax=2),
    tripcolor_gouraud=lambda a, t: a.tripcolor(TRIANGLES, TRIANGLES.x + t * TRIANGLES.y, shading="gouraud"),
    tricontour=lambda a, t: a.tricontour(TRIANGLES, TRIANGLES.x + t * TRIANGLES.y),
    tricontourf=lambda a, t: a.tricontourf(TRIANGLES, TRIANGLES.x * TRIANGLES.y + t * TRIANGLES.y),
    triplot=lambda a, t: a.triplot(TRIANGLES, "o-", lw=1 + t),
    quiver=lambda a, t: a.quiver(U[::3, ::3] + t, V[::3, ::3], SMOOTH[::3, ::3]),
    quiverkey=lambda a, t: a.quiverkey(a.quiver(U[::4, ::4] + t, V[::4, ::4]), 0.8, 1.05, 1, "one"),
    barbs=lambda a, t: a.barbs(40 * U[::5, ::5] * (1 + t), 40 * V[::5, ::5]),
    streamplot=lambda a, t: a.streamplot(np.arange(24), np.arange(20), U + t, V, density=0.6, color=SMOOTH),
    specgram=lambda a, t: a.specgram(np.sin(np.arange(2000) ** (1.3 + t / 10)), NFFT=64, noverlap=16),
    psd=lambda a, t: a.psd(np.sin(np.arange(500) * (1 + t)), NFFT=128),
    xcorr=lambda a, t: a.xcorr(wave(t), wave(0), maxlags=10),
    table=lambda a, t: a.table([["1", f"{t:.2f}"], ["3", "4"]], colLabels=["a", "b"], loc="center"),
    text=lambda a, t: a.text(
        0.5, 0.5, f"at {t:.2f}", size=20, rotation=40 * t, ha="center", bbox={"fc": "y"}
    ),
    text_of_lines=lambda a, t: a.text(
        0.1, 0.3, f"first\nsecond {t:.1f}\nthird", linespacing=1.6, weight="bold"
    ),
    text_formula=lambda a, t: a.text(0.1, 0.4, rf"$\frac{{x^{{{t:.1f}}}}}{{\sqrt{{\alpha}}}}$", size=24),
    text_outlined=lambda a, t: a.text(
        0.1, 0.5, f"bold {t:.1f}", size=24, color="w", path_effects=[effects.withStroke(linewidth=4)]
    ),
    text_wrapped=lambda a, t: a.text(0.1, 0.5, f"a rather long sentence of {t:.1f} " * 3, wrap=True),
    annotate=lambda a, t: a.annotate(
        "here", (0.3 + t / 2, 0.2), (0.1, 0.8), arrowprops={"arrowstyle": "fancy"}
    ),
    annotate_curved=lambda a, t: a.annotate(
        "x", (0.9, t), (0.1, 0.1), arrowprops={"arrowstyle": "-|>", "connectionstyle": "arc3,rad=.4"}
    ),
    arrow=lambda a, t: a.arrow(0.1, 0.1, 0.5 * t + 0.1, 0.6, width=0.03),
    axlines=lambda a, t: do(
        a.axline((0, 0), slope=0.3 + t), a.axhline(t), a.axvspan(0.2, 0.3 + t / 2, alpha=0.3)
    ),
    hlines=lambda a, t: do(a.hlines([0.2, t], 0, [1, 2], ["r", "b"]), a.vlines(X[::5], 0, abs(wave(t)[::5]))),
    legend_outside=lambda a, t: do(
        a.plot(X, wave(t), label="a"),
        a.plot(X, X, "s", label="b"),
        a.legend(loc="upper right", ncols=2, title="T"),
    ),
    legend_of_patches=lambda a, t: a.legend(
        handles=[patches.Patch(fc=(t, 0, 0), hatch="/"), Line2D([], [])], labels="xy"
    ),
    circle=lambda a, t: a.add_patch(
        patches.Circle((0.5, 0.5), 0.1 + 0.3 * t, fc="none", ec="b", ls="--", lw=3)
    ),
    ellipse=lambda a, t: a.add_patch(patches.Ellipse((0.5, 0.5), 0.6, 0.3, angle=90 * t, alpha=0.4)),
    wedge=lambda a, t: a.add_patch(patches.Wedge((0.5, 0.5), 0.4, 30, 90 + 200 * t, width=0.2)),
    arc=lambda a, t: a.add_patch(patches.Arc((0.5, 0.5), 0.8, 0.5, theta1=20, theta2=90 + 200 * t, lw=3)),
    polygon=lambda a, t: a.add_patch(
        patches.Polygon([(0.1, 0.1), (0.9, 0.3), (0.4, 0.2 + 0.7 * t)], hatch="//")
    ),
    fancy_arrow=lambda a, t: a.add_patch(
        patches.FancyArrowPatch((0.1, 0.1), (0.9, 0.1 + t / 2), mutation_scale=30)
    ),
    path_of_curves=lambda a, t: a.add_patch(
        patches.PathPatch(Path([(0, 0), (0.2, 1), (0.8, t), (1, 0.5)], [1, 4, 4, 4]), fc="none", lw=4)
    ),
    path_with_hole=lambda a, t: a.add_patch(
        patches.PathPatch(
            Path.make_compound_path(Path.circle((0.5, 0.5), 0.4), Path.circle((0.5, 0.5), 0.2 * t + 0.1))
        )
    ),
    gradient_of_lines=lambda a, t: do(
        a.add_collection(LineCollection(np.stack([PAIRS[:-1], PAIRS[1:]], 1), array=X[1:], lw=3 + t)),
        a.set_xlim(0, 1),
    ),
    collection_of_patches=lambda a, t: a.add_collection(
        PatchCollection(
            [patches.Rectangle(p, 0.1, 0.05 + 0.1 * t) for p in PAIRS[:9]], array=X[:9], alpha=0.7
        )
    ),
    collection_of_ellipses=lambda a, t: a.add_collection(
        EllipseCollection(
            [9] * 9, [20 + 20 * t] * 9, X[:9] * 90, offsets=PAIRS[:9], offset_transform=a.transData
        )
    ),
    collection_of_events=lambda a, t: a.add_collection(EventCollection(PAIRS[:, 0] + t / 9, linelength=0.2)),
    collection_of_polygons=lambda a, t: a.add_collection(
        RegularPolyCollection(6, sizes=SIZES[:9] + 200 * t, offsets=PAIRS[:9], offset_transform=a.transData)
    ),
    collection_of_stars=lambda a, t: a.add_collection(
        StarPolygonCollection(5, sizes=SIZES[:9] + 200 * t, offsets=PAIRS[:9], offset_transform=a.transData)
    ),
    many_points=lambda a, t: a.scatter(*MANY[:2], c=MANY[2] + t, vmax=2, s=20),
    many_sizes=lambda a, t: a.scatter(
        *MANY[:2], s=90 * MANY[3], c=MANY[2], lw=2 * t, ec="k", marker="^", alpha=0.7
    ),
    many_lines=lambda a, t: a.add_collection(
        LineCollection(MANY.T.reshape(-1, 2, 2) * (0.5 + t), ls="--", array=MANY[0])
    ),
    many_arrows=lambda a, t: a.quiver(*MANY * (0.5 + t)),
    many_curves=lambda a, t: a.add_collection(
        PatchCollection([patches.Circle(p, 0.1 * t + 0.02) for p in MANY.T[:, :2]], fc="r")
    ),
    log_log=lambda a, t: do(a.loglog(X + 0.01, 10 ** (X + t)), a.grid(True, which="both", ls=":")),
    log_y=lambda a, t: a.semilogy(X, 10 ** (3 * X + t), "r-."),
    symlog=lambda a, t: do(a.plot(X, 100 * wave(t)), a.set_yscale("symlog")),
    logit=lambda a, t: do(a.plot(X, np.clip(X / 2.1 + t / 50, 0.001, 0.999)), a.set_yscale("logit")),
    dates=lambda a, t: do(a.plot(DAYS, wave(t)[:8]), a.tick_params(axis="x", rotation=30)),
    words=lambda a, t: a.plot(["one", "two", "three"], [1, t, 2]),
    twin=lambda a, t: a.twinx().plot(X, X * (1 + t), "r"),
    secondary=lambda a, t: do(
        a.plot(X, wave(t)), a.secondary_yaxis("right", functions=(np.degrees, np.radians))
    ),
    inset=lambda a, t: do(a.plot(X, wave(t)), a.inset_axes([0.6, 0.6, 0.35, 0.35]).plot(X[:9], wave(t)[:9])),
    inset_zoom=lambda a, t: do(
        a.imshow(GRID),
        a.indicate_inset_zoom(a.inset_axes([0.6, 0.6, 0.35, 0.35], xlim=(1, 3 + t), ylim=(1, 3))),
    ),
    inverted=lambda a, t: do(a.plot(X, wave(t)), a.invert_yaxis(), a.invert_xaxis()),
    without_frame=lambda a, t: do(a.plot(X, wave(t)), a.spines[["top", "right"]].set_visible(False)),
    spines_at_zero=lambda a, t: do(a.plot(X - 1, wave(t)), a.spines["left"].set_position("zero")),
    ticks_of_pi=lambda a, t: do(
        a.plot(X, wave(t)), a.xaxis.set_major_locator(ticker.MultipleLocator(np.pi / 8))
    ),
    ticks_engineering=lambda a, t: do(
        a.plot(X * 10 ** (3 + 3 * t), X), a.xaxis.set_major_formatter(ticker.EngFormatter("Hz"))
    ),
    ticks_minor=lambda a, t: do(
        a.plot(X, wave(t)), a.minorticks_on(), a.grid(True, which="minor", alpha=0.3)
    ),
    ticks_offset=lambda a, t: a.plot(X, 1e9 + X + t),
    ticks_on_top=lambda a, t: do(a.plot(X, wave(t)), a.xaxis.tick_top(), a.yaxis.tick_right()),
    titles=lambda a, t: do(
        a.set_title("left", loc="left"), a.set_title(f"{t:.2f}"), a.set_xlabel("x", loc="right")
    ),
    anchored=lambda a, t: a.add_artist(AnchoredText(f"box {t:.1f}", loc="upper left")),
    picture_in_box=lambda a, t: a.add_artist(AnnotationBbox(OffsetImage(GRID, zoom=3 + t), (0.5, 0.5))),
    drawing_in_box=lambda a, t: do(
        (area := DrawingArea(40, 20)).add_artist(patches.Circle((10, 10), 4 + 5 * t)),
        a.add_artist(AnnotationBbox(area, (0.5, 0.5))),
    ),
    words_in_box=lambda a, t: a.add_artist(AnnotationBbox(TextArea(f"{t:.2f}"), (0.3, 0.3), (0.7, 0.7))),
    clipped_by_circle=lambda a, t: a.imshow(GRID).set_clip_path(
        patches.Circle((5, 4), 2 + t, transform=a.transData)
    ),
    rasterized=lambda a, t: a.plot(X, wave(t), rasterized=True),
    url_and_gid=lambda a, t: a.plot(X, wave(t), gid="line", url="https://example.org"),
    equal_aspect=lambda a, t: do(a.plot(np.cos(RING), np.sin(RING) * (1 + t)), a.set_aspect("equal")),
    turned_square=lambda a, t: a.add_patch(
        patches.Rectangle((0, 0), 0.3, 0.3, transform=Affine2D().rotate(t).translate(0.5, 0.3) + a.transData)
    ),
    transparent_layers=lambda a, t: [
        a.axvspan(n / 4, n / 4 + 0.5, color="C3", alpha=0.2 + t / 9) for n in range(3)
    ],
    off=lambda a, t: do(a.plot(X, wave(t)), a.axis("off")),
    empty=lambda a, t: a.set_xlim(0, 1 + t),
)
add(
    "polar",
    polar_line=lambda a, t: a.plot(RING, 1 + t * np.sin(3 * RING)),
    polar_bar=lambda a, t: a.bar(RING[::5], 1 + t * np.sin(RING[::5]), width=0.5, alpha=0.5),
    polar_scatter=lambda a, t: a.scatter(RING, X * (1 + t), c=RING, cmap="hsv"),
    polar_part=lambda a, t: do(a.plot(RING, X), a.set_thetamin(0), a.set_thetamax(90 + 60 * t)),
    polar_labels=lambda a, t: do(a.set_thetagrids([0, 90], ["E", f"{t:.1f}"]), a.set_rlabel_position(90 * t)),
    polar_mesh=lambda a, t: a.pcolormesh(np.linspace(0, 6, 11), np.linspace(0, 1 + t, 9), GRID),
)
add("mollweide", mollweide=lambda a, t: do(a.plot(RING - 3.1, np.sin(RING) * t), a.grid(True)))
add("aitoff", aitoff=lambda a, t: a.scatter(RING[:20] - 2, X[:20] - t))
add("hammer", hammer=lambda a, t: a.fill_between(RING - 3.1, -0.2, t))
add("lambert", lambert=lambda a, t: a.plot(RING - 3.1, np.sin(RING) * t))
add(
    "3d",
    surface=lambda a, t: a.plot_surface(*np.mgrid[0:3:20j, 0:4:24j], SMOOTH * (1 + t), cmap="viridis"),
    wireframe=lambda a, t: a.plot_wireframe(*np.mgrid[0:3:20j, 0:4:24j], SMOOTH, rstride=3, lw=1 + t),
    helix=lambda a, t: a.plot(np.cos(3 * RING), np.sin(3 * RING), RING * (1 + t)),
    cloud=lambda a, t: a.scatter(*PAIRS.T, X * (1 + t), c=X, s=40),
    bars_3d=lambda a, t: a.bar3d([0, 1, 2], [0, 1, 0], 0, 0.5, 0.5, [1, 2, 1 + t]),
    quiver_3d=lambda a, t: a.quiver([0, 1], [0, 0], [0, t], [1, 1], [1, 0], [0, 1], length=0.5),
    voxels=lambda a, t: a.voxels(np.indices((3, 3, 3)).sum(axis=0) < 2 + 3 * t, edgecolor="k"),
    trisurf=lambda a, t: a.plot_trisurf(TRIANGLES, TRIANGLES.x * TRIANGLES.y * (1 + t), cmap="cool"),
    text_3d=lambda a, t: a.text(0.5, 0.5, t, "in space", (1, 1, 0)),
)
