import { createElement } from './create-element.js'

export interface Tab {
  readonly id: string
  readonly label: string
  readonly panel: HTMLElement
}

export interface Tabs {
  readonly list: HTMLElement
  /** Opens a tab without calling `onOpen`. For an unknown id, opens the first tab. */
  show(id: string): void
}

/**
 * Creates a row of ARIA tabs. Arrow keys move between the tabs. One panel is visible at a time, initially the first
 * panel.
 */
export function createTabs(label: string, tabs: readonly Tab[], onOpen?: (id: string) => void): Tabs {
  const buttons = tabs.map(({ id, label: text, panel }) => {
    panel.id = `panel-${id}`
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', `tab-${id}`)
    return createElement(
      'button',
      { id: `tab-${id}`, role: 'tab', type: 'button', 'aria-controls': panel.id, onclick: () => open(id) },
      text,
    )
  })
  const list = createElement(
    'div',
    { role: 'tablist', 'aria-label': label, class: 'tabs', onkeydown: move },
    ...buttons,
  )

  function show(id: string): void {
    const at = Math.max(
      0,
      tabs.findIndex((tab) => tab.id === id),
    )
    for (const [index, button] of buttons.entries()) {
      button.setAttribute('aria-selected', String(index === at))
      button.tabIndex = index === at ? 0 : -1
      const panel = tabs[index]?.panel
      if (panel) panel.hidden = index !== at
    }
  }

  function open(id: string): void {
    show(id)
    onOpen?.(id)
  }

  function move(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    const next = step === undefined ? undefined : (at + step + buttons.length) % buttons.length
    const tab = next === undefined ? undefined : tabs[next]
    if (next === undefined || tab === undefined) return
    event.preventDefault()
    open(tab.id)
    buttons[next]?.focus()
  }

  show('')
  return { list, show }
}
