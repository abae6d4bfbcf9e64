import type { Component } from 'svelte';
import { need } from './reload';

/** Switches the camera on and off. What it takes comes with the first use. */
export class CameraSwitch {
  view = $state.raw<Component<{ scan: (code: string) => void }> | undefined>();

  async toggle(): Promise<void> {
    this.view = this.view ? undefined : (await need(() => import('../components/desk/Camera.svelte')))?.default;
  }

  off(): void {
    this.view = undefined;
  }
}
