import { createButton } from './create-element.js'

const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const KEY = 'kube-rules theme'

/** Creates a button that cycles between system colors, light and dark, and stores the choice if possible. */
export function createThemeButton(): HTMLButtonElement {
  const button = createButton('', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto'
    remember(theme)
    apply()
  })
  let theme = remembered()
  const apply = () => {
    if (theme === 'auto') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    button.textContent = { auto: '◐ Auto', light: '○ Light', dark: '● Dark' }[theme]
    button.setAttribute('aria-label', `Colours: ${theme}. Change`)
  }
  apply()
  return button
}

function remembered(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto'
  } catch {
    return 'auto'
  }
}

/** Stores the theme, if possible. A page that was opened from `file://` may have no storage. */
function remember(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme)
  } catch {}
}
