import { versionsOf } from '@kube-rules/compiler'
import { createElement } from '../dom/create-element.js'

export interface VersionSlider {
  readonly setting: HTMLElement
  /** Shows the versions of a mode, and the position of the given version. */
  show(mode: string, version: string): void
}

/**
 * Creates a slider over the versions of a mode. Each movement calls `onMove` with the version at the slider and the
 * version at the start of the movement.
 */
export function createVersionSlider(onMove: (version: string, from: string) => void): VersionSlider {
  let versions: readonly string[] = []
  let from: string | undefined
  let current = ''
  const range = createElement('input', { type: 'range', id: 'choose-version', min: 0, step: 1 })
  const label = createElement('output', { for: 'choose-version' })
  range.addEventListener('input', () => {
    from ??= current
    const version = versions[range.valueAsNumber] ?? current
    write(version)
    onMove(version, from)
  })
  // This event occurs at the end of a drag, and also after each key press.
  range.addEventListener('change', () => {
    from = undefined
  })

  function write(version: string): void {
    label.value = version
    range.setAttribute('aria-valuetext', `kube-proxy ${version}`)
  }

  return {
    setting: createElement(
      'span',
      { class: 'setting slider' },
      createElement('label', { for: range.id }, 'Version'),
      range,
      label,
    ),
    show: (mode, version) => {
      versions = versionsOf(mode)
      current = version
      range.max = String(versions.length - 1)
      range.valueAsNumber = versions.indexOf(version)
      range.disabled = versions.length < 2
      write(version)
    },
  }
}
