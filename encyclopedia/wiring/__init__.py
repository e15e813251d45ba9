"""Where everything is put together: settings, plugins, the composition root."""
