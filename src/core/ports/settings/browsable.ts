/** The look of pages for browsers. */
export interface BrowsableSettings {
  /** Name of the product: in the top bar, and behind the title of every page. @default 'API' */
  readonly title?: string
  /** A picture for the top bar: a path of this service (`/logo.svg`), which is served by the application. */
  readonly logo?: string
  /**
   * A colour for links, buttons and marks, as `#rrggbb`. Where it has too little contrast, in the light or in the
   * dark, it is made darker or lighter (WCAG 2.2, 1.4.3).
   * @default '#3451d1'
   */
  readonly accent?: string
  /** A folder with templates of your own, by name: `layout.eta`, `page.eta`, … The others stay ours. */
  readonly templates?: string
}
