import { createElement } from './create-element.js'

interface SplitterOptions {
  readonly label: string
  readonly orientation: 'vertical' | 'horizontal'
  /** The CSS variable of `main` with the share of the first pane. */
  readonly variable: string
  /** The initial share in percent. */
  readonly initial: number
}

/** The smallest and largest share of a pane in percent. */
const [LEAST, MOST] = [15, 85]
/** The percent that a key moves the border. */
const STEP = 5

/**
 * Creates the border between two panes of `main`. The pointer and the arrow keys move the border. A double click resets
 * its position.
 */
export function createSplitter(
  main: HTMLElement,
  { label, orientation, variable, initial }: SplitterOptions,
): HTMLElement {
  const isVertical = orientation === 'vertical'
  let share = initial
  const splitter = createElement('div', {
    class: `splitter ${orientation}`,
    role: 'separator',
    tabindex: 0,
    'aria-label': label,
    'aria-orientation': orientation,
    'aria-valuemin': LEAST,
    'aria-valuemax': MOST,
    onpointerdown: (event: PointerEvent) => splitter.setPointerCapture(event.pointerId),
    onpointermove: follow,
    ondblclick: () => move(initial),
    onkeydown: (event: KeyboardEvent) => {
      const [back, forth] = isVertical ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown']
      if (event.key !== back && event.key !== forth) return
      event.preventDefault()
      move(share + (event.key === forth ? STEP : -STEP))
    },
  })
  move(initial)

  function follow(event: PointerEvent): void {
    if (!splitter.hasPointerCapture(event.pointerId)) return
    const { left, top, width, height } = main.getBoundingClientRect()
    move(100 * (isVertical ? (event.clientX - left) / width : (event.clientY - top) / height))
  }

  function move(to: number): void {
    share = Math.min(MOST, Math.max(LEAST, to))
    splitter.setAttribute('aria-valuenow', String(Math.round(share)))
    main.style.setProperty(variable, `${share}%`)
  }

  return splitter
}
