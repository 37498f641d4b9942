declare module 'virtual:gallery' {
  import type { Example } from '../builder/examples.js'
  export const EXAMPLES: readonly Example[]
}
