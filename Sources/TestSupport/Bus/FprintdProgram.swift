/// The mocked fprintd's program. It has the real one's D-Bus interfaces, as far as logins use them, and another one for tests.
enum FprintdProgram {
    static let text = #"""
        import dbus, dbus.service, dbus.mainloop.glib
        from gi.repository import GLib

        NAME = "net.reactivated.Fprint"
        MANAGER = NAME + ".Manager"
        DEVICE = NAME + ".Device"
        TEST = "org.coffer.Test.Fprint"
        state = {"readers": 0, "fingers": {}, "touches": ["verify-match"]}
        devices = []

        def error(name, text):
            return dbus.exceptions.DBusException(text, name=NAME + ".Error." + name)

        class Device(dbus.service.Object):
            def __init__(self, bus, path):
                super().__init__(bus, path)
                self.path = path
                self.claimed = None
                self.verifying = False

            @dbus.service.method(DEVICE, in_signature="s", out_signature="as")
            def ListEnrolledFingers(self, user):
                fingers = state["fingers"].get(str(user), [])
                if not fingers:
                    raise error("NoEnrolledPrints", "no fingers of " + user)
                return fingers

            @dbus.service.method(DEVICE, in_signature="s", sender_keyword="sender")
            def Claim(self, user, sender=None):
                if self.claimed:
                    raise error("AlreadyInUse", "claimed by another")
                self.claimed = (sender, str(user))

            @dbus.service.method(DEVICE, sender_keyword="sender")
            def Release(self, sender=None):
                self.own(sender)
                self.claimed = None

            @dbus.service.method(DEVICE, in_signature="s", sender_keyword="sender")
            def VerifyStart(self, finger, sender=None):
                self.own(sender)
                if not state["fingers"].get(self.claimed[1]):
                    raise error("NoEnrolledPrints", "no fingers")
                self.verifying = True
                GLib.timeout_add(20, self.touch)

            @dbus.service.method(DEVICE, sender_keyword="sender")
            def VerifyStop(self, sender=None):
                self.own(sender)
                self.verifying = False

            def own(self, sender):
                if not self.claimed or self.claimed[0] != sender:
                    raise error("ClaimDevice", "not claimed")

            def touch(self):
                self.VerifyFingerSelected("any")
                GLib.timeout_add(20, self.result)
                return False

            def result(self):
                touches = state["touches"]
                said = touches.pop(0) if len(touches) > 1 else touches[0]
                if self.verifying:
                    self.VerifyStatus(said, True)
                return False

            @dbus.service.signal(DEVICE, signature="s")
            def VerifyFingerSelected(self, finger): pass

            @dbus.service.signal(DEVICE, signature="sb")
            def VerifyStatus(self, result, done): pass

            @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
            def Get(self, interface, name):
                return self.GetAll(interface)[str(name)]

            @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="s", out_signature="a{sv}")
            def GetAll(self, interface):
                return {"name": "Mocked reader", "scan-type": "press", "num-enroll-stages": 5,
                        "finger-present": False, "finger-needed": False}

        class Manager(dbus.service.Object):
            @dbus.service.method(MANAGER, out_signature="ao")
            def GetDevices(self):
                return dbus.Array([dbus.ObjectPath(d.path) for d in devices[:state["readers"]]], signature="o")

            @dbus.service.method(MANAGER, out_signature="o")
            def GetDefaultDevice(self):
                if not state["readers"]:
                    raise error("NoSuchDevice", "No devices available")
                return dbus.ObjectPath(devices[0].path)

            @dbus.service.method(TEST, in_signature="u")
            def SetReaders(self, count):
                while len(devices) < count:
                    devices.append(Device(bus, "/net/reactivated/Fprint/Device/%d" % len(devices)))
                state["readers"] = int(count)

            @dbus.service.method(TEST, in_signature="sas")
            def SetFingers(self, user, fingers):
                state["fingers"][str(user)] = fingers

            @dbus.service.method(TEST, in_signature="as")
            def SetTouches(self, touches):
                state["touches"] = [str(touch) for touch in touches]

        def gone(name, old, new):
            for device in devices:
                if not new and device.claimed and device.claimed[0] == name:
                    device.claimed = None
                    device.verifying = False

        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        bus = dbus.SystemBus()
        bus.add_signal_receiver(gone, "NameOwnerChanged", "org.freedesktop.DBus")
        manager = Manager(bus, "/net/reactivated/Fprint/Manager")
        owned = dbus.service.BusName(NAME, bus)
        GLib.MainLoop().run()
        """#
}
