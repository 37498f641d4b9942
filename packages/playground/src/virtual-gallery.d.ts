declare module 'virtual:gallery' {
  import type { Example } from '../build/examples.js'
  export const EXAMPLES: readonly Example[]
}
